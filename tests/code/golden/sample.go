// Package x does things.
package x

import (
	"fmt"
	str "strings"
)

const (
	A = iota
	B
)

var global, other = 1, 2

// Server serves.
type Server struct {
	io.Reader
	*Base
	name, addr string `json:"x"`
}

type Handler interface {
	Serve(w Writer, r *Request) error
}
type ID = int
type Fn func(a int) int

// Start starts.
func (s *Server) Start(ctx context.Context, opts ...Option) (err error) {
	local := 1
	if local > 0 || false {
		for i := range x {
		}
	}
	return nil
}
func Map[T any](a []T, f func(T) T) []T { var x = 1; return nil }
