import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type AuditNote, Empty, endpoint, html, htmlDocument, reply } from '../../../../../kernel/http/index.ts'
import { findAppName } from '../../../../identity/projects/index.ts'
import { popupHeaders, popupPage } from '../../popup-page.ts'
import { callbackParams, formBytesMax } from '../callback-params.ts'
import { type GoOnServices, resumeFromPage } from '../resume-from-page.ts'
import { findWaiting } from '../session.ts'

const page = Type.String({ description: 'A page.' })
const declaration = {
  path: '//callbacks/v1/custom-auth/default',
  access: 'public',
  description:
    'Passes the parameters to the page that opened the window. That page continues with `POST /custom-auth/connect`. Existing clients of the interface rely on the message: `{source: "ampersand-custom-auth", params}`.',
  tag: 'Connections',
  produces: 'text/html; charset=utf-8',
  reply: { 200: page, 303: Empty, 400: page },
} as const

export const showCustomAuthCallback = endpoint({
  ...declaration,
  id: 'showCustomAuthCallback',
  method: 'GET',
  audit: { verb: 'connect', resource: 'connection' },
  summary: 'Callback of a provider after a step of custom authentication.',
  // Providers may send more, which is handed over too.
  query: Type.Object({
    state: Type.Optional(
      Type.String({ description: 'What the browser was sent away with: it finds the page that waits.' }),
    ),
  }),
  run: ({ url, headers, signal, note }, services: GoOnServices) =>
    answer(services, { url, headers, signal, note }, undefined),
})

export const submitCustomAuthCallback = endpoint({
  ...declaration,
  id: 'submitCustomAuthCallback',
  method: 'POST',
  audit: { exempt: 'leads to `showCustomAuthCallback`, which leaves an entry' },
  summary: 'The same, for providers that send a form.',
  accepts: 'binary',
  bodyBytesMax: formBytesMax,
  run: ({ url, headers, body, signal, note }, services: GoOnServices) =>
    answer(services, { url, headers, signal, note }, body as unknown as Readable | undefined),
})

async function answer(
  services: GoOnServices,
  {
    url,
    headers,
    signal,
    note,
  }: {
    url: string
    headers: Record<string, string | string[] | undefined>
    signal: AbortSignal
    note: (note: AuditNote) => void
  },
  body: Readable | undefined,
) {
  note({ outcome: 'none' })
  const params = await callbackParams(url, headers, body)
  const state = params?.['state']
  const waiting = state ? await findWaiting(services, state) : undefined
  const resumed =
    params &&
    waiting &&
    (await resumeFromPage(services, waiting, { params, headers, signal, note, isForm: body !== undefined }))
  if (resumed && 'location' in resumed) {
    const { location } = resumed
    return reply(303, null, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location })
  }
  if (resumed) return reply(resumed.status, resumed.page, popupHeaders)
  if (!params || !waiting || waiting.session.page || waiting.session.end)
    return reply(
      400,
      htmlDocument(
        'This page has expired',
        html`<p>You opened it too long ago, or the account is already connected. Nothing was changed. Close this window and start again.</p>`,
      ),
      popupHeaders,
    )
  const text = popupPage({
    title: 'Connecting your account…',
    appName: await findAppName(services.database.forProject(waiting.projectId)),
    text: 'You can close this window when the other window says that your account is connected.',
    message: { source: 'ampersand-custom-auth', params },
    // What a provider sends back may be a secret: only the page that began may read it, where a browser said which it
    // was.
    targetOrigin: waiting.session.openerOrigin ?? '*',
    closes: false,
  })
  return reply(200, text, popupHeaders)
}
