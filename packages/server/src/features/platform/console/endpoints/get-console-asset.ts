import { extname } from 'node:path'
import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply, sentAsset } from '../../../../kernel/http/index.ts'
import type { ConsoleAssets } from '../console-assets.ts'

/** Media types by the ending of the name. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
}

export const getConsoleAsset = endpoint({
  id: 'getConsoleAsset',
  method: 'GET',
  path: '//console/assets/{file}',
  access: 'public',
  summary: 'A script, style or image of the console. Its name has a hash of its content.',
  description: 'Compressed with Brotli or gzip, if the client accepts one of them.',
  tag: 'Sign-in',
  extension: true,
  params: Path({ file: Ref }),
  produces: 'text/javascript; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async ({ params: { file }, headers }, { consoleAssets }: { consoleAssets: ConsoleAssets }) => {
    const { bytes, headers: sent } = sentAsset(consoleAssets, `assets/${file}`, headers)
    return reply(200, bytes, {
      ...sent,
      'content-type': mediaTypes[extname(file)] ?? 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
    })
  },
})
