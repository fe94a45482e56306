// Package lint has tests of what is deployed that need heavy libraries: Compose's own loader, BuildKit's parser of Dockerfiles, Kubernetes'
// types, kustomize and Helm. It is a module of its own, so that none of them is a dependency of the relay.
package lint
