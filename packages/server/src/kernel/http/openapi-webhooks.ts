import type { TSchema } from 'typebox'
import type { Hoist } from './openapi-hoist.ts'

/** A message that is posted to a webhook of the builder's. */
export interface WebhookDeclaration {
  name: string
  tag: string
  summary: string
  description: string
  extension?: boolean
  body: TSchema
  example: unknown
}

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

const signatureHeaders = [
  header('webhook-id', 'Id of the message, the same at every attempt. Also sent as `svix-id`.'),
  header('webhook-timestamp', 'Unix seconds of the attempt. Also sent as `svix-timestamp`.', {
    type: 'string',
    pattern: '^\\d+$',
  }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, once per signing key, separated by spaces. Also sent as `svix-signature`.',
  ),
]

/** The OpenAPI path item of a webhook. */
export function webhookObject(webhook: WebhookDeclaration, hoist: Hoist): object {
  const { summary, description, tag, extension, body, example } = webhook
  return {
    post: {
      summary,
      description,
      tags: [tag],
      ...(extension && { 'x-mortise-extension': true }),
      security: [],
      parameters: signatureHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: hoist(body), examples: { example: { value: example } } } },
      },
      responses: {
        '2XX': { description: 'Taken. The message is not sent again.' },
        '410': { description: 'Gone. Mortise disables the webhook immediately.' },
        default: { description: 'Not accepted. Mortise sends the message again, on the retry schedule.' },
      },
    },
  }
}
