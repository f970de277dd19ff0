import { casesOf } from '../../../../testkit/cases.ts'
import { submit } from '../../../../testkit/world.ts'
import { getClient } from './get-client.ts'

export const cases = casesOf(getClient, {
  request: { query: { _clerk_js_version: '4.50.1', __dev_session: 'not-a-token' } },
  status: 200,
  example: {
    request: async (world) => {
      const browser = await world.browser('signed in')
      const { location } = await submit(browser, await browser.get('/signin/amp-cli'))
      const { cookies } = JSON.parse(Buffer.from(new URL(location!).searchParams.get('p')!, 'base64').toString()) as {
        cookies: Record<string, string>
      }
      const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      return { query: { _clerk_js_version: '4.50.1' }, headers: { cookie: cookie.join('; ') } }
    },
  },
  refused: 'never',
})
