/** What a command needs to send a message as Mortise does. The secret is never part of it. */
export interface SentMessage {
  messageId: string
  payload: unknown
  /** The URL of the destination as the service shows it, with masked parts. */
  url: string
  /** The destination's own headers, masked. */
  headers: Record<string, string>
  destinationName: string
}

/** A longer body is fetched by the command. */
const inlineMax = 2_000

const fetched = (messageId: string) => `$(mortise get message ${messageId} --format json | jq -c .payload)`

/** A text as one argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Lines for a shell that sign the body with the secret of the destination, and send it. The reader fills in what is
 * secret.
 */
export function sendCommand({ messageId, payload, url, headers, destinationName }: SentMessage): string {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const body = text.length > inlineMax ? fetched(messageId) : quoted(text)
  const masked = url.includes('***')
  const own = Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)} \\`)
  return [
    `# The secret${masked ? ' and the whole URL' : ''}: mortise get destination ${destinationName} --secrets`,
    `SECRET='whsec_…'`,
    `URL=${quoted(url)}`,
    `BODY=${body}`,
    `ID=${quoted(messageId)}`,
    'TIMESTAMP=$(date +%s)',
    `KEY=$(printf '%s' "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
    `SIGNATURE=$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" |`,
    `  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)`,
    `curl -i "$URL" \\`,
    `  -H 'Content-Type: application/json' \\`,
    ...own,
    `  -H "webhook-id: $ID" \\`,
    `  -H "webhook-timestamp: $TIMESTAMP" \\`,
    `  -H "webhook-signature: v1,$SIGNATURE" \\`,
    `  --data-raw "$BODY"`,
  ].join('\n')
}

/** How a receiver verifies it: the raw body, before it is parsed. */
export const verifyLines = [
  `import { Webhook } from 'standardwebhooks'`,
  '',
  'const webhook = new Webhook(process.env.WEBHOOK_SECRET) // whsec_…',
  'const message = webhook.verify(rawBody, request.headers)',
].join('\n')

/** Shows the newest entries of a stream. */
export function streamCommand(url: string, stream: string): string {
  return `redis-cli -u ${quoted(url)} XREVRANGE ${quoted(stream)} + - COUNT 10`
}
