// Package templates holds the tests that keep the two definitions of a
// deployment, template.yaml and infra/, in step with the program and with each
// other. The program is the measure: its table, its routes, the calls it makes.
package templates
