import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply, sentAsset } from '../../../../../kernel/http/index.ts'
import type { ConnectAssets } from '../assets.ts'

export const getConnectAsset = endpoint({
  id: 'getConnectAsset',
  method: 'GET',
  path: '//connect/assets/{script}',
  access: 'public',
  summary: 'A script of the connect components. Its name has a hash of its content.',
  description: 'Compressed with Brotli or gzip, if the client accepts one of them.',
  tag: 'Connections',
  extension: true,
  params: Path({ script: Ref }),
  produces: 'text/javascript; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async ({ params: { script }, headers }, { connectAssets }: { connectAssets: ConnectAssets }) => {
    const { bytes, headers: sent } = sentAsset(connectAssets, script, headers)
    // Your own pages load the components, too.
    return reply(200, bytes, { ...sent, 'cross-origin-resource-policy': 'cross-origin' })
  },
})
