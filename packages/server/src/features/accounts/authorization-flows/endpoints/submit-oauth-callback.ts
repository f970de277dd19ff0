import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Empty, endpoint, readFields, reply } from '../../../../kernel/http/index.ts'
import { callbackParameters } from '../callback-parameters.ts'
import { popupHeaders } from '../popup-page.ts'
import { stalePage } from '../show-outcome.ts'

export const submitOAuthCallback = endpoint({
  id: 'submitOAuthCallback',
  method: 'POST',
  path: '//callbacks/v1/oauth',
  access: 'public',
  summary: 'The same for providers that send a form (`response_mode=form_post`).',
  description: 'Leads on to the page by a redirect: a form of another site brings no cookies along, a redirect does.',
  tag: 'Connections',
  audit: { exempt: 'leads to `showOAuthCallback`, which leaves an entry' },
  accepts: 'binary',
  bodyBytesMax: 64 * 1_024,
  produces: 'text/html; charset=utf-8',
  reply: { 303: Empty, 400: Type.String() },
  run: async ({ body }) => {
    const answer = callbackParameters(await readFields(body as unknown as Readable))
    if (!answer) return reply(400, stalePage(), popupHeaders)
    const { further, ...standard } = answer
    const query = new URLSearchParams({ ...further, ...standard })
    return reply(303, null, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      location: `/callbacks/v1/oauth?${query}`,
    })
  },
})
