import { Empty, endpoint, NotFound, reply } from '../../../../../kernel/http/index.ts'
import type { ConnectAssets } from '../assets.ts'

export const getConnectScript = endpoint({
  id: 'getConnectScript',
  method: 'GET',
  path: '//connect.js',
  access: 'public',
  summary: 'The script of the connect components for your own pages: redirects to the current one.',
  description: 'Load it with `<script type="module" src="…/connect.js">`.',
  tag: 'Connections',
  extension: true,
  produces: 'text/javascript; charset=utf-8',
  reply: { 302: Empty },
  problems: [NotFound],
  run: async (_, { connectAssets }: { connectAssets: ConnectAssets }) => {
    const script = connectAssets.entries()?.connect
    if (script === undefined)
      throw new NotFound({
        detail: 'The scripts of the components were not built.',
        remedy: 'Start the service with `npm start`, or run `npm run build`.',
      })
    return reply(302, null, {
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
      location: `/connect/assets/${script}`,
    })
  },
})
