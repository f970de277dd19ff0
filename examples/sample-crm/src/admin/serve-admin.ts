import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Admission } from '../admission.ts'
import type { ContactBook } from '../contact-book.ts'
import { parseNewContact } from '../contact-patch.ts'
import type { SampleCrmCounters } from '../counters.ts'
import type { Field } from '../fields.ts'
import { sendPage, sendStyle } from '../page.ts'
import type { AuthorizationServer } from '../sign-in/access.ts'
import { workspacePage } from './workspace-page.ts'

export interface Administered {
  readonly name: string
  readonly contacts: ContactBook
  readonly contactFields: readonly Field[]
  readonly admission: Admission
  readonly authorization: AuthorizationServer | undefined
  counters(): SampleCrmCounters
}

/** Serves the workspace's own page below `/admin`. It has no sign-in: this CRM is a sample on your machine. */
export async function serveAdmin(
  administered: Administered,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1)
  const { admission, authorization, contacts, name } = administered
  if (request.method === 'GET' && path === '/admin')
    return sendPage(
      response,
      200,
      workspacePage({
        name,
        contacts: contacts.size,
        apiKey: admission.apiKey,
        grants: authorization?.grants(),
        rateLimit: admission.rateLimit,
        failuresLeft: admission.failuresLeft,
        counters: administered.counters(),
      }),
    )
  if (request.method === 'GET' && path === '/admin/style.css') return sendStyle(response)
  const run = actions.get(path.slice('/admin/'.length))
  if (request.method !== 'POST' || !run) return void response.writeHead(404).end()
  // A page of another origin must not press these buttons.
  const { origin, host } = request.headers
  if (origin !== undefined && URL.parse(origin)?.host !== host) return void response.writeHead(403).end()
  await run(administered, new URLSearchParams(await text(request)))
  response.writeHead(303, { location: '/admin' }).end()
}

type Action = (administered: Administered, form: URLSearchParams) => unknown

const actions = new Map<string, Action>([
  ['revoke-key', ({ admission }) => admission.revokeKey()],
  ['create-key', ({ admission }) => admission.createKey()],
  ['revoke-grant', ({ authorization }, form) => authorization?.revoke(form.get('grant') ?? '')],
  ['expire-tokens', ({ authorization }) => authorization?.expireTokens()],
  ['fail', ({ admission }) => admission.failNext(5, 503)],
  [
    'rate-limit',
    ({ admission }, form) => admission.setRateLimit(Math.min(1_000, Math.abs(Number(form.get('perSecond')) || 0))),
  ],
  ['change-contacts', ({ contacts }) => contacts.change(Math.min(25, contacts.size))],
  [
    'add-contact',
    ({ contacts, contactFields }) =>
      contacts.create(
        parseNewContact(
          { first_name: 'New', last_name: 'Contact', email: `new-${contacts.size + 1}@acme.example`, stage: 'lead' },
          contactFields,
        ),
      ),
  ],
])
