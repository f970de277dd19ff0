import { Type } from 'typebox'
import { endpoint, NotFound, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { pageScript } from '../pages/page-script.ts'

export const getReferenceScript = endpoint({
  id: 'getReferenceScript',
  method: 'GET',
  path: '//docs/assets/{script}',
  access: 'public',
  summary: 'The script of the pages of this documentation, for browsers. The pages are complete without it.',
  tag: 'Reference',
  extension: true,
  params: Path({ script: Ref }),
  produces: 'text/javascript; charset=utf-8',
  reply: { 200: Type.String() },
  problems: [NotFound],
  run: async ({ params }) => {
    const { name, text } = pageScript()
    if (params.script !== name)
      throw new NotFound({ detail: 'Script not found.', remedy: 'Reload the page at /docs that requested it.' })
    return reply(200, text, {
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
  },
})
