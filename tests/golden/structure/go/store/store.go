package store

import "fmt"

type Store struct {
	codec Codec
	log   *Logger
}

func Open(path string) *Store {
	return &Store{}
}

func (s *Store) Put(item string) {
	s.check(item)
	s.codec.Encode(item)
	s.log.Print(item)
	helper(len(item))
}

func (s *Store) check(item string) { fmt.Println(item) }
