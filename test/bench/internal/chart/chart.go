// Package chart draws bar charts as SVG, for documents that are read in a browser.
package chart

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Bar is one value with the range it was found in.
type Bar struct {
	Name             string // of the contender; the same name has the same color everywhere
	Value, Low, High float64
	Label            string // the value as text
}

// Group is bars to be compared with each other.
type Group struct {
	Name string
	Bars []Bar
}

// Chart is horizontal bars in groups. Lengths are relative to the largest value of their group, because groups differ
// by orders of magnitude and are not to be compared.
type Chart struct {
	Title  string
	Note   string // a line below the title
	Groups []Group
}

// Measures in pixels.
const (
	width     = 860
	nameWidth = 250 // left of the bars
	barWidth  = 440 // of the longest bar
	barHeight = 18
	barStep   = 24
	headStep  = 34 // a group's heading
	top       = 64
	bottom    = 16
)

// colors are told apart also by people who do not see all of them (Okabe and Ito's palette).
var colors = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#999999", "#f0e442"}

// String is the SVG document. It needs nothing from elsewhere.
func (c Chart) String() string {
	var b strings.Builder
	height := c.height()
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="13">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(c.Title))
	// The page behind may be dark.
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	text(&b, 16, 26, `font-size="16" font-weight="bold"`, c.Title)
	text(&b, 16, 48, `fill="#555555"`, c.Note)
	y, palette := top, map[string]string{}
	for _, g := range c.Groups {
		y = g.draw(&b, y, palette)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (c Chart) height() int {
	height := top + bottom
	for _, g := range c.Groups {
		height += headStep + barStep*len(g.Bars)
	}
	return height
}

// draw draws the group from y on and returns where the next begins.
func (g Group) draw(b *strings.Builder, y int, palette map[string]string) int {
	text(b, 16, y+22, `font-weight="bold"`, g.Name)
	y += headStep
	largest := 0.0
	for _, bar := range g.Bars {
		largest = max(largest, bar.Value, bar.High)
	}
	for _, bar := range g.Bars {
		color, ok := palette[bar.Name]
		if !ok {
			color = colors[len(palette)%len(colors)]
			palette[bar.Name] = color
		}
		bar.draw(b, y, largest, color)
		y += barStep
	}
	return y
}

// draw draws a bar, and a thin line from the lowest to the highest value.
func (bar Bar) draw(b *strings.Builder, y int, largest float64, color string) {
	scale := func(v float64) float64 {
		if largest <= 0 {
			return nameWidth
		}
		return nameWidth + barWidth*max(0, v)/largest
	}
	text(b, nameWidth-8, y+14, `text-anchor="end"`, bar.Name)
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", nameWidth, y, scale(bar.Value)-nameWidth, barHeight, color)
	if bar.High > bar.Low {
		fmt.Fprintf(b, `<path d="M%.1f %dH%.1f" stroke="#222222" stroke-width="2"/>`+"\n", scale(bar.Low), y+barHeight/2, scale(bar.High))
	}
	text(b, int(scale(max(bar.Value, bar.High)))+8, y+14, "", bar.Label)
}

func text(b *strings.Builder, x, y int, attributes, content string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	fmt.Fprintf(b, `<text x="%d" y="%d"%s>%s</text>`+"\n", x, y, attributes, escape(content))
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}
