package kafka

import (
	"fmt"

	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"
)

// scramClient speaks SCRAM for sarama, which brings none of its own.
type scramClient struct {
	mechanism    string
	conversation *scram.ClientConversation
}

var _ sarama.SCRAMClient = (*scramClient)(nil)

func (c *scramClient) Begin(user, password, authzID string) error {
	hash := scram.SHA256
	if c.mechanism == sarama.SASLTypeSCRAMSHA512 {
		hash = scram.SHA512
	}
	client, err := hash.NewClient(user, password, authzID)
	if err != nil {
		// err may quote a character of the password
		return fmt.Errorf("prepare %s for user %q: name or password holds a character that SASLprep forbids", c.mechanism, user)
	}
	c.conversation = client.NewConversation()
	return nil
}

func (c *scramClient) Step(challenge string) (string, error) {
	return c.conversation.Step(challenge)
}

func (c *scramClient) Done() bool { return c.conversation.Done() }
