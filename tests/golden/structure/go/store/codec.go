package store

type Codec struct{}

func (c Codec) Encode(item string) string { return item }

type Logger struct{}

func (l *Logger) Print(item string) {}

func helper(size int) {}
