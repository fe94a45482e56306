package compat_test

import "testing"

func TestModern(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, theirs, ours, want string }{
		{"equal", "a 1.5", "a 1.5", "a 1.5"},
		{"double with a digit too many", `{"f":-8.9403845295250719E18}`, `{"f":-8.940384529525072E18}`, `{"f":-8.940384529525072E18}`},
		{"double one below", "9.999999999999999E22", "1.0E23", "1.0E23"},
		{"float", "f4=-2.88501371E17,x", "f4=-2.8850137E17,x", "f4=-2.8850137E17,x"},
		{"another number", "1.5", "1.6", "1.5"},
		{"longer", "1.5", "1.50", "1.5"},
		{"double rounded to a float", "0.12345678901234568", "0.12345679", "0.12345678901234568"},
		{"other text differs", "9.999999999999999E22 a", "1.0E23 b", "9.999999999999999E22 a"},
		{"fewer floats", "1.0 2.0", "1.0", "1.0 2.0"},
	}
	for _, tt := range tests {
		if got := string(modern([]byte(tt.theirs), []byte(tt.ours))); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if modern(nil, []byte{}) != nil {
		t.Error("null has become empty")
	}
}
