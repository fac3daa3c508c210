package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/statelock/statelock/pkg/lockapi"
)

// caller is what the gateway vouches for about one request.
type caller struct {
	// principal is who was authenticated, "" for nobody:
	//
	//	iam:<ARN>          IAM authorization; an assumed role's ARN is kept
	//	                   whole, so two sessions of a role are two callers
	//	jwt:<iss>|<sub>    JWT authorizer or Cognito user pool; a "|" can't be
	//	                   part of an issuer, which is a URL
	principal string
	// requestID names the request: the gateway's own id is new for every
	// request and stays the same when Lambda runs the same event again.
	requestID string
}

// context passes on what is known. Of the ids that a request may have, one
// that the client brought comes first, then the gateway's, then Lambda's.
func (c caller) context(ctx context.Context) context.Context {
	if c.principal != "" {
		ctx = lockapi.WithPrincipal(ctx, c.principal)
	}
	if c.requestID != "" {
		// An HTTP API's ids are base64, and request ids have no slashes.
		ctx = lockapi.WithRequestID(ctx, url.PathEscape(c.requestID))
	}
	return ctx
}

// byJWT reports whether the gateway told the caller by a JWT.
func (c caller) byJWT() bool { return strings.HasPrefix(c.principal, "jwt:") }

// principalV2 reads requestContext.authorizer of payload 2.0 and of function
// URLs, whose shape is the same.
func principalV2(a *events.APIGatewayV2HTTPRequestContextAuthorizerDescription) string {
	switch {
	case a == nil:
		return ""
	case a.IAM != nil && a.IAM.UserARN != "":
		return "iam:" + a.IAM.UserARN
	case a.JWT != nil:
		return jwtPrincipal(a.JWT.Claims["iss"], a.JWT.Claims["sub"])
	}
	return ""
}

// principalV1 reads the caller of payload 1.0: IAM puts it into the identity,
// JWT and Cognito authorizers put the claims into the authorizer. A Lambda
// authorizer is the deployment's own code and is believed like these.
func principalV1(c events.APIGatewayProxyRequestContext) string {
	if c.Identity.UserArn != "" {
		return "iam:" + c.Identity.UserArn
	}
	claims, _ := c.Authorizer["claims"].(map[string]any)
	iss, _ := claims["iss"].(string)
	sub, _ := claims["sub"].(string)
	return jwtPrincipal(iss, sub)
}

// jwtPrincipal needs both claims: a subject means nothing without its issuer.
func jwtPrincipal(iss, sub string) string {
	if iss == "" || sub == "" {
		return ""
	}
	return "jwt:" + iss + "|" + sub
}
