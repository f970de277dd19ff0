import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../../kernel/http/index.ts'
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
    const asset = connectAssets.find(script, String(headers['accept-encoding'] ?? ''))
    if (asset === undefined)
      throw new NotFound({ detail: 'Script not found.', remedy: 'Reload the page that requested it.' })
    return reply(200, asset.bytes, {
      ...(asset.encoding && { 'content-encoding': asset.encoding }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
  },
})
