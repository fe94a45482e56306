package main

import "testing"

func TestNumerals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		print numeral
		value float64
		want  string
	}{
		{"no comma", thousands, 999, "999"},
		{"one comma", thousands, 54321.4, "54,321"},
		{"two commas", thousands, 1234567, "1,234,567"},
		{"a comma is not put behind the sign", thousands, -123456, "-123,456"},
		{"a ratio", times, 1.654, "1.65×"},
		{"a small ratio keeps three digits", times, 0.0541, "0.054×"},
		{"zero", significant, 0, "0.00"},
		{"ten", significant, 12.34, "12.3"},
		{"rounding up moves to the next form", significant, 99.97, "100"},
		{"large", significant, 2345.6, "2,346"},
		{"memory", megabytes, 64 << 20, "64.0"},
		{"time", milliseconds, 0.00036, "0.36"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.print(tt.value); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
