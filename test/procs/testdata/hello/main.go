// Hello is a program for the tests of package procs.
package main

import "fmt"

func main() { fmt.Println("hello") }
