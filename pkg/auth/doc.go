// Package auth tells who a caller is, and what that caller may do, from the one
// secret that Terraform and OpenTofu can bring: the password of basic auth. A
// bearer token is the same secret in another header. It knows no HTTP.
//
// A secret is either of two kinds:
//
//   - A token of our own, sl_<id>_<secret>, which Mint makes. The table has the
//     SHA-256 digest of the whole, its permissions and its workspaces.
//   - An OpenID Connect JWT from an issuer that the deployment trusts, as GitHub
//     Actions and GitLab give to each job. Rules turn its claims into permissions
//     and workspaces.
//
// Whatever is wrong with a secret is ErrInvalid; that it can't be told, because
// the table or the issuer does not answer, is ErrUnavailable.
//
// # A hold outlives its credential
//
// A long apply must be able to store its state and to unlock when its token has
// expired or was revoked meanwhile: otherwise the state is lost and the lock
// stuck. So a credential that was valid once is not simply invalid afterwards.
// Authenticate gives an Identity that is Lapsed for
//
//   - a token that expired or was revoked,
//   - a JWT that expired,
//   - a JWT whose signing key the issuer does not publish any more.
//
// A lapsed identity may read and write the state, and release, and only for the
// hold that this very credential began. Whoever serves such a request MUST make
// that part of the write's condition: a hold remembers the Identity.Digest that
// it was acquired with, and the write demands that digest.
//
// For a JWT this is more than caution. Where its key is gone, its signature
// can't be checked, and principal and claims are only what the JWT says of
// itself. They are used all the same, since an equal digest proves that these
// very bytes were presented, and verified with the key of that time, at LOCK.
// Nothing else may be done or told on the word of a lapsed identity, not even
// who holds the lock.
//
// # Secrets
//
// No type of this package holds a secret, and no error contains one.
package auth
