package lockapi

import (
	"net/http"
	"strings"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Paths of the routes that name a workspace, which follows.
const (
	locksPath    = "/v1/locks"
	historyPath  = "/v1/history"
	versionsPath = "/v1/versions"
	statePath    = "/v1/tf"
	tfLockPath   = "/v1/tf-lock"
	restorePath  = "/v1/restore"
)

// Path is the route of an operation.
func Path(o lockmodel.Op) string {
	if o == lockmodel.ReleaseLock {
		return "/v1/release"
	}
	return "/v1/" + strings.ReplaceAll(o.String(), "_", "-")
}

// Route is a way into the API.
type Route struct {
	// Method and Path are as http.ServeMux takes them.
	Method, Path string
	// Terraform tells the routes of Terraform and OpenTofu. These clients can't
	// sign requests, so a gateway must let them through to the service, which
	// asks for a credential itself.
	Terraform bool

	serve func(*API, http.ResponseWriter, *http.Request)
}

// The methods that Terraform uses by default. API Gateway has no routes for
// them, so what they do has a path of its own as well.
const (
	methodLock   = "LOCK"
	methodUnlock = "UNLOCK"
)

// Routes lists the routes of the API, each method of a path for itself. A
// gateway can have all but those of the methods LOCK and UNLOCK.
func Routes() []Route {
	var all []Route
	for _, o := range commands() {
		all = append(all, Route{Method: "POST", Path: Path(o), serve: asJSON(func(a *API, r *http.Request) (int, any) { return a.transition(o, r) })})
	}
	return append(all,
		Route{Method: "GET", Path: locksPath, serve: asJSON((*API).list)},
		Route{Method: "GET", Path: locksPath + "/{ws...}", serve: asJSON((*API).read)},
		Route{Method: "GET", Path: historyPath + "/{ws...}", serve: asJSON((*API).history)},
		Route{Method: "GET", Path: versionsPath + "/{ws...}", serve: (*API).versions},
		Route{Method: "POST", Path: restorePath, serve: asJSON((*API).restore)},

		Route{Method: "GET", Path: statePath + "/{ws...}", Terraform: true, serve: (*API).state},
		Route{Method: "POST", Path: statePath + "/{ws...}", Terraform: true, serve: asJSON((*API).writeState)},
		Route{Method: "DELETE", Path: statePath + "/{ws...}", Terraform: true, serve: asJSON((*API).deleteState)},
		Route{Method: methodLock, Path: statePath + "/{ws...}", Terraform: true, serve: asJSON((*API).tfLock)},
		Route{Method: methodUnlock, Path: statePath + "/{ws...}", Terraform: true, serve: asJSON((*API).tfUnlock)},
		Route{Method: "POST", Path: tfLockPath + "/{ws...}", Terraform: true, serve: asJSON((*API).tfLock)},
		Route{Method: "DELETE", Path: tfLockPath + "/{ws...}", Terraform: true, serve: asJSON((*API).tfUnlock)},
	)
}

// asJSON serves what answers with a status and a JSON body.
func asJSON(answer func(*API, *http.Request) (int, any)) func(*API, http.ResponseWriter, *http.Request) {
	return func(a *API, w http.ResponseWriter, r *http.Request) {
		status, body := answer(a, r)
		reply(w, status, body)
	}
}

// register has the mux serve every route, and refuse the other methods of
// their paths.
func (a *API) register() {
	allowed := map[string][]string{}
	for _, route := range Routes() {
		allowed[route.Path] = append(allowed[route.Path], route.Method)
		a.mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) { route.serve(a, w, r) })
	}
	for path, methods := range allowed {
		allow := strings.Join(methods, ", ")
		a.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allow)
			reply(w, http.StatusMethodNotAllowed, failure{Code: "method_not_allowed", Reason: "this route takes " + allow})
		})
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, failure{Code: "not_found", Reason: "there is no such route"})
	})
}
