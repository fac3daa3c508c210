package engines

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
)

// An Engine is one external program that speaks DynamoDB's JSON protocol.
// The zero value is of no use; take one of the package's variables.
type Engine struct {
	// Name is what people type, for example "dynalite".
	Name string
	// Version is the pinned release of the program.
	Version string
	// Slow says that a request takes it some ten milliseconds, one after the other.
	Slow bool

	// pins are the files that the installation is made from, copied into its
	// folder; with Version they name it.
	pins embed.FS
	// install fills dir, which holds the pins, and reports progress to log.
	install func(ctx context.Context, dir string, log io.Writer) error
	// command is how an installation in dir is run.
	command func(ctx context.Context, dir string, port int, opt Options) *exec.Cmd
	// front, if set, stands between clients and the program.
	front func(program *url.URL) http.Handler
	// memoryOnly says that the program can't keep its tables in a folder.
	memoryOnly bool
}

// Options say how an engine is started.
type Options struct {
	// Data is the folder in which the engine keeps its tables; empty means in
	// memory, the only way that moto has.
	Data string
}

// All are the engines, in the order in which suites run them.
func All() []Engine { return []Engine{Dynalite, Dynoxide, Moto} }

// ByName is the engine of that name.
func ByName(name string) (Engine, error) {
	var known []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return Engine{}, fmt.Errorf("no engine %q: there are %s", name, strings.Join(known, ", "))
}

// NotInstalledError says that an engine's pinned version is not in the user's
// cache folder.
type NotInstalledError struct {
	Name, Version string
}

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("%s %s is not installed (make engines)", e.Name, e.Version)
}
