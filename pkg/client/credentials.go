package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
)

// Credentials put into a request who sends it. They are asked for each try, so
// those that expire may be replaced.
type Credentials func(r *http.Request, body []byte) error

// Bearer sends a token.
func Bearer(token string) Credentials {
	return func(r *http.Request, _ []byte) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

// Basic sends a user and a password.
func Basic(user, password string) Credentials {
	return func(r *http.Request, _ []byte) error {
		r.SetBasicAuth(user, password)
		return nil
	}
}

// SigV4 signs requests for routes of API Gateway that are authorised by IAM.
// provider is asked for each try: give one that caches.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
func SigV4(provider aws.CredentialsProvider, region string) Credentials {
	signer := v4.NewSigner()
	return func(r *http.Request, body []byte) error {
		credentials, err := provider.Retrieve(r.Context())
		if err != nil {
			return fmt.Errorf("find AWS credentials: %w", err)
		}
		hash := sha256.Sum256(body)
		return signer.SignHTTP(r.Context(), credentials, r, hex.EncodeToString(hash[:]), "execute-api", region, time.Now())
	}
}

// SigV4FromEnvironment is SigV4 by the AWS SDK's usual settings. The region is
// the one in the host name of an API's own endpoint, and else the settings'.
func SigV4FromEnvironment(ctx context.Context, host string) (Credentials, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the AWS configuration: %w", err)
	}
	region, ok := APIGatewayRegion(host)
	if !ok {
		region = cfg.Region
	}
	if region == "" {
		return nil, errors.New("no AWS region: set AWS_REGION")
	}
	return SigV4(cfg.Credentials, region), nil
}

// APIGatewayRegion gives the region of an API's own endpoint, such as
// abc.execute-api.eu-west-1.amazonaws.com; not ok where host is none.
func APIGatewayRegion(host string) (region string, ok bool) {
	labels := strings.Split(host, ".")
	if len(labels) < 5 || labels[1] != "execute-api" || labels[3] != "amazonaws" {
		return "", false
	}
	return labels[2], true
}
