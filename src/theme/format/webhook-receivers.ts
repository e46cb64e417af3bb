/** A receiver that a developer can copy. */
export interface ReceiverSample {
  /** As people call it. */
  readonly name: string;
  /** As the highlighter calls it. */
  readonly language: string;
  /** What has to be installed first; null for nothing. */
  readonly install: string | null;
  readonly text: string;
}

/** The place of a sample, such as 4100 of `portal webhooks:listen`. */
const PORT = 4100;

/**
 * The name of the variable that holds an endpoint's secret, of what the endpoint is called or else of its host, so that
 * those of several endpoints can stand in one file.
 */
export function secretNameOf({ description, url }: { readonly description: string; readonly url: string }): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const words = [description, host, ''].map((text) => text.toUpperCase().match(/[A-Z0-9]+/g) ?? []);
  const name = (words.find((found) => found.length > 0) ?? []).join('_').slice(0, 40).replace(/_$/, '');
  // A name of a variable does not begin with a digit.
  return `${/^\d/.test(name) ? 'HOOK_' : ''}${name === '' ? '' : `${name}_`}WEBHOOK_SECRET`;
}

/** Programs that verify messages with the secret in the variable `secretName`, and echo the challenge. */
export function receiverSamples(secretName: string): readonly ReceiverSample[] {
  return [
    { name: 'Node.js', language: 'js', install: 'npm install standardwebhooks', text: writeNode(secretName) },
    { name: 'Python', language: 'python', install: null, text: writePython(secretName) },
    { name: 'Go', language: 'go', install: `go get ${GO_PACKAGE}`, text: writeGo(secretName) },
  ];
}

const GO_PACKAGE = 'github.com/standard-webhooks/standard-webhooks/libraries/go';

const writeNode = (secretName: string) => `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.${secretName});

createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { type, data } = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
    if (type === 'webhook.challenge') {
      response.end(JSON.stringify({ challenge: data.challenge }));
      return;
    }
    // The same id may come again: do nothing twice.
    console.log(request.headers['webhook-id'], type, data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(${PORT});
`;

// Nothing but the standard library.
const writePython = (secretName: string) => `import base64
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = base64.b64decode(os.environ["${secretName}"].removeprefix("whsec_"))


def is_genuine(headers, body):
    try:
        sent_at = headers["webhook-timestamp"]
        text = f"{headers['webhook-id']}.{sent_at}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(SECRET, text, "sha256")).decode()
        signatures = headers["webhook-signature"].split()
        is_fresh = abs(time.time() - int(sent_at)) < 300
        return is_fresh and any(hmac.compare_digest(one, expected) for one in signatures)
    except (AttributeError, TypeError, ValueError):
        return False


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        if not is_genuine(self.headers, body):
            self.send_response(401)
            self.end_headers()
            return
        event = json.loads(body)
        self.send_response(200)
        self.end_headers()
        if event["type"] == "webhook.challenge":
            self.wfile.write(json.dumps({"challenge": event["data"]["challenge"]}).encode())
            return
        # The same id may come again: do nothing twice.
        print(self.headers["webhook-id"], event["type"], event["data"], flush=True)


HTTPServer(("", ${PORT}), Receiver).serve_forever()
`;

const writeGo = (secretName: string) => `package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "${GO_PACKAGE}"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("${secretName}"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 65536))
		if err != nil || webhook.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			Type string                 \`json:"type"\`
			Data map[string]interface{} \`json:"data"\`
		}
		if err := json.Unmarshal(body, &event); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if event.Type == "webhook.challenge" {
			json.NewEncoder(w).Encode(map[string]interface{}{"challenge": event.Data["challenge"]})
			return
		}
		// The same id may come again: do nothing twice.
		log.Println(r.Header.Get("webhook-id"), event.Type, event.Data)
	})
	log.Fatal(http.ListenAndServe(":${PORT}", nil))
}
`;
