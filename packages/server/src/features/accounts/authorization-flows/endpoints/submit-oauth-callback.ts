import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Empty, endpoint, readFields, reply } from '../../../../kernel/http/index.ts'
import { callbackParameters } from '../callback-parameters.ts'
import { popupHeaders } from '../popup-page.ts'
import { stalePage } from '../show-outcome.ts'

/** A longer request line is refused by servers. What is left out is longer than a code, next to everything else. */
const queryCharactersMax = 10_000

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
    const { further, codes, ...standard } = answer
    const query = new URLSearchParams({ ...further, ...standard })
    for (const [name, value] of Object.entries(codes))
      if (!query.has(name) && `${query}`.length + value.length <= queryCharactersMax) query.set(name, value)
    return reply(303, null, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      location: `/callbacks/v1/oauth?${query}`,
    })
  },
})
