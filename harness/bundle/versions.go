package bundle

import (
	"regexp"
	"strings"
)

// terms, read only, are those of [spec.RuleInfo.Versions], and what they are in words.
var terms = [...]struct {
	short *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`^all$`), "all releases"},
	{regexp.MustCompile(`^>=(\d[\d.]*)$`), "Apache Kafka $1 and later"},
	{regexp.MustCompile(`^<(\d[\d.]*)$`), "Apache Kafka before $1"},
	{regexp.MustCompile(`^(\d[\d.]*)-(\d[\d.]*)$`), "Apache Kafka $1 to $2"},
	{regexp.MustCompile(`^(\d[\d.]*)$`), "Apache Kafka $1"},
	{regexp.MustCompile(`^v(\d+)\+$`), "v$1 of the request and above"},
	{regexp.MustCompile(`^v(\d+)-(\d+)$`), "v$1 to v$2 of the request"},
	{regexp.MustCompile(`^TV(\d)$`), "transaction.version $1"},
}

// holds says in words what the table of rules says shortly. A term that is not known stays.
func holds(versions string) string {
	parts := strings.Split(versions, ", ")
	for i, part := range parts {
		for _, t := range terms {
			if t.short.MatchString(part) {
				parts[i] = t.short.ReplaceAllString(part, t.words)
				break
			}
		}
	}
	return strings.Join(parts, ", ")
}

// holdsFor is the sentence about the versions of the broken rule. One of earlier releases is broken by a later one where
// the rule of that refers to it.
func holdsFor(versions string) string {
	if strings.HasPrefix(versions, "<") {
		return " It is that of " + holds(versions) + "; for later releases other rules refer to it."
	}
	return " It holds for " + holds(versions) + "."
}
