import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { html, htmlDocument, operation, reply } from '../../../../kernel/http/index.ts'
import type { Services } from '../../../../services.ts'
import { popupHeaders, popupPage } from '../../popup-page.ts'
import { callbackParams, formBytesMax } from '../callback-params.ts'
import { hashed } from '../session.ts'
import { findOpener } from '../session-store.ts'

const page = Type.String({ description: 'A page.' })
const declaration = {
  path: '//callbacks/v1/custom-auth/default',
  access: 'public',
  description:
    'Hands the parameters over to the page that opened the window, which goes on with `POST /custom-auth/connect`. Existing clients of the interface rely on the message: `{source: "ampersand-custom-auth", params}`.',
  tag: 'Connections',
  produces: 'text/html; charset=utf-8',
  reply: { 200: page, 400: page },
} as const

export const showCustomAuthCallback = operation({
  ...declaration,
  id: 'showCustomAuthCallback',
  method: 'GET',
  summary: 'Where a provider sends the browser back to after a step of custom authentication.',
  // Providers may send more, which is handed over too.
  query: Type.Object({
    state: Type.Optional(
      Type.String({ description: 'What the browser was sent away with: it finds the page that waits.' }),
    ),
  }),
  run: ({ url, headers }, services: PageServices) => answer(services, url, headers, undefined),
})

export const submitCustomAuthCallback = operation({
  ...declaration,
  id: 'submitCustomAuthCallback',
  method: 'POST',
  summary: 'The same, for providers that send a form.',
  accepts: 'binary',
  bodyBytesMax: formBytesMax,
  run: ({ url, headers, body }, services: PageServices) =>
    answer(services, url, headers, body as unknown as Readable | undefined),
})

type PageServices = Pick<Services, 'database' | 'now'>

async function answer(
  { database, now }: PageServices,
  url: string,
  headers: Record<string, string | string[] | undefined>,
  body: Readable | undefined,
) {
  const params = await callbackParams(url, headers, body)
  const state = params?.['state']
  const opener = state ? await findOpener(database.system, { stateHash: hashed(state), now: now() }) : undefined
  if (!params || !opener)
    return reply(
      400,
      htmlDocument(
        'Nobody waits for this page',
        html`<p>It was opened too long ago, or the account is connected already. Nothing was done. Close this window and begin again.</p>`,
      ),
      popupHeaders,
    )
  const text = popupPage({
    title: 'One moment',
    text: 'The account is being connected. You can close this window when the other one says so.',
    message: { source: 'ampersand-custom-auth', params },
    // What a provider sends back may be a secret: only the page that began may read it, where a browser said which it was.
    targetOrigin: opener.opener_origin ?? '*',
    closes: false,
  })
  return reply(200, text, popupHeaders)
}
