import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import { browserFor } from '../browser-cookie.ts'
import { callbackParameters } from '../callback-parameters.ts'
import { openFlow } from '../flow.ts'
import { popupHeaders } from '../popup-page.ts'
import { stalePage } from '../show-outcome.ts'

export const startOAuth = endpoint({
  id: 'startOAuth',
  method: 'GET',
  path: '//callbacks/v1/oauth/start',
  access: 'public',
  summary: 'Start an OAuth flow: binds it to this browser with a cookie, and redirects to the provider.',
  description: 'Only the first browser that opens it can finish.',
  tag: 'Connections',
  extension: true,
  query: Type.Object({ state: Type.Optional(Type.Unsafe<unknown>({ description: 'Which flow.' })) }),
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
  run: async (
    { url, headers },
    services: { database: Database; keyring: Keyring; now: () => Date; publicUrl: string },
  ) => {
    const asked = callbackParameters(new URLSearchParams(url.split('?')[1] ?? ''))
    const browser = browserFor(services, headers)
    const flow = asked && (await openFlow(services, { state: asked.state, browserSecret: browser.secret }))
    if (!flow) return reply(400, stalePage(), popupHeaders)
    return reply(303, null, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'set-cookie': browser.setCookie,
      location: flow.authorizationUrl,
    })
  },
})
