import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type Database, isId } from '../../../../kernel/db/index.ts'
import { type Keyring, verifySignedUrl } from '../../../../kernel/encryption/index.ts'
import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findMessageResult } from '../message-store.ts'
import { ResultNotFound, ResultUrlExpired, ResultUrlRefused } from '../problems.ts'

export const getResult = endpoint({
  id: 'getResult',
  method: 'GET',
  path: '//results/{resultId}',
  access: 'public',
  summary: 'Download a result that was too large for its message.',
  description:
    'The URL is `resultInfo.downloadUrl` of the message, or `configURL` or `lastConfigURL` of a notification; it needs no API key and is valid for 15 minutes.',
  tag: 'Destinations',
  extension: true,
  params: Path({ resultId: Ref }),
  query: Type.Object({
    expires: Type.Optional(Type.String({ description: 'Part of the signed URL: when it expires, in Unix seconds.' })),
    claims: Type.Optional(Type.String({ description: 'Part of the signed URL: what it is for.' })),
    signature: Type.Optional(Type.String({ description: 'Part of the signed URL: what proves the rest of it.' })),
  }),
  reply: {
    200: Type.Unsafe<string>({
      type: ['array', 'object'],
      description: 'The whole `result`, a JSON array; of a notification the config, a JSON object.',
    }),
  },
  produces: 'application/json',
  problems: [ResultUrlRefused, ResultUrlExpired, ResultNotFound],
  run: async (
    { params, url },
    { database, keyring, now }: { database: Database; keyring: Keyring; now: () => Date },
  ) => {
    const verified = verifySignedUrl({ keys: keyring.deriveAll('signed-url'), url, now: now() })
    if (!verified.ok) throw verified.refusal === 'expired' ? new ResultUrlExpired() : new ResultUrlRefused()
    const projectId = verified.claims['project']
    if (projectId === undefined || !isId(params.resultId)) throw new ResultUrlRefused()
    const body = await findMessageResult(database.forProject(projectId), params.resultId)
    if (!body) throw new ResultNotFound()
    const { part } = verified.claims
    const wanted = part === undefined ? body : partOf(body, part)
    return reply(200, Readable.from([wanted]), { 'cache-control': 'private, no-store' })
  },
})

/** One part of a result that is an object of parts. */
function partOf(body: Buffer, part: string): Buffer {
  return Buffer.from(JSON.stringify((JSON.parse(body.toString()) as Record<string, unknown>)[part]))
}
