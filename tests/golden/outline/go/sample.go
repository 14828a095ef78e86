//go:build linux

// Package store keeps things.
package store

import (
	"fmt"
	m "math"
	_ "embed"
)

import "os"

// Limit is how many.
const Limit = 10

const (
	Red = iota // no doc
	// Green is the second.
	Green
)

var first, second = 1, 2

var (
	errClosed = fmt.Errorf("closed")
	handler   = func(x int) int { return square(x) }
)

// Store keeps things
// for long.
type Store[T any] struct {
	Base
	*os.File
	mu    sync.Mutex
	a, b  int `json:"a"`
	inner struct{ depth int }
}

type Reader interface {
	io.Closer
	// Read reads.
	Read(path string) (n int, err error)
	~int | ~string
}

type (
	ID    string
	Alias = map[string]Store[int]
	Func  func(x int) error
)

// New makes one.
//
//nolint:gocyclo
func New[T any](
	path string,
	options ...Option[T],
) (*Store[T], error) {
	s := &Store[T]{a: 1}
	walk := func(d int) { defer s.Close() }
	walk(int(m.Floor(1.5)))
	type local struct{ x int }
	go pkg.Run[string](local{1}, os.PathError{})
	return s, nil
}

/* Close closes. */
func (s *Store[T]) Close() error { return s.Base.Close() }

func (Reader2) Name() string { const inside = 1; return Map[int](inside).String() }

func assembly(x int) int

type Bound struct {
	client  *http.Client
	a, b    Store
	many    []Store
	mapping map[string]Store
}

func (b *Bound) Use(store Store, readers ...Reader) (*Store, error) {
	local := &Store{}
	other := pkg.Value{}
	made := new(Store)
	b.client = &http.Client{}
	var declared, second *Store
	var held = Store{}
	first, err := New("x")
	return local, other.Check(made, declared, second, held, first, err)
}

func NewBound() *Bound { return nil }
