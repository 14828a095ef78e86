package main

import (
	"example.com/shop/store"
	"net/http"
)

type Server struct {
	*store.Store
	backend *store.Store
}

func (srv *Server) Run(handler Handler) {
	srv.backend.Put("a")
	handler.Serve()
	http.ListenAndServe(":80", nil)
}

type Handler interface {
	Serve()
}

func main() {
	s := store.Open("x")
	s.Put("b")
	server := &Server{}
	server.Run(nil)
	store.Open("y").Put("c")
}
