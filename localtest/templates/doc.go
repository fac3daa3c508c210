// Package templates reads the two definitions of a deployment, template.yaml and
// the Terraform module in infra/, as facts that can be compared: with each other
// and with the program. The program is the measure: its table, its routes, the
// calls it makes, its metrics.
//
// A definition is evaluated for given settings, as CloudFormation or Terraform
// would, but for what only AWS knows: that a resource refers to another stands in
// the facts as the other's name in angle brackets, such as <table.arn>.
package templates
