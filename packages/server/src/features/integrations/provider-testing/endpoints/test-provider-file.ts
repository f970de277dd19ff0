import { tryProvider } from '@mortise/providers'
import { Type } from 'typebox'
import { bodyLimits, endpoint, Path, ProjectPath, Ref, reply } from '../../../../kernel/http/index.ts'
import type { Outbound } from '../../../../kernel/net/index.ts'
import { ConnectionNotFound, findConnection } from '../../../accounts/connections/index.ts'
import {
  CapabilityNotImplemented,
  type ConnectionHandles,
  classifyFailure,
  openProviderAccess,
  providerProblem,
} from '../../../provider-calls/calls/index.ts'
import { ProviderFileTest, textLengthMax } from '../model.ts'
import { shownTools } from '../shown-tools.ts'

/** For all objects together; well within the time that a request may take. */
const mostMs = 45_000

export const testProviderFile = endpoint({
  id: 'testProviderFile',
  method: 'POST',
  path: '/projects/{projectIdOrName}/connections/{connectionId}/provider-file:test',
  access: 'develop',
  extension: true,
  summary: 'Test a provider file with a connection, object by object.',
  description:
    'Sends the health check of the file, if it has one. Describes each object and reads it like a backfill and a scheduled read: two pages of one record each, and once in a window of the future. Calls only the provider’s own addresses, so the file does not decide where the credential goes. Writes nothing unless you send `writes`, and stores nothing of the file. Ends after 45 seconds.',
  tag: 'Provider catalog',
  audit: { exempt: 'changes nothing' },
  params: Path({ ...ProjectPath.properties, connectionId: Ref }),
  body: Type.Object({
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\\.ya?ml$',
      description: 'Name of the file: the provider’s, with `.yaml`.',
    }),
    text: Type.String({ maxLength: textLengthMax, description: 'The file.' }),
    module: Type.Optional(Type.String({ description: 'Module of the provider; its default one when absent.' })),
    objects: Type.Optional(
      Type.Array(Type.String(), { maxItems: 100, description: 'Names of the objects to try; all when absent.' }),
    ),
    get: Type.Optional(
      Type.String({
        pattern: '^/',
        maxLength: 2_000,
        description: 'Path below the base URL of the file to request by GET, with its query.',
      }),
    ),
    writes: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether to send writes that the provider must refuse: the records that the file names in `refused`, and an update of a record that does not exist.',
      }),
    ),
  }),
  bodyBytesMax: bodyLimits.large,
  reply: { 200: ProviderFileTest },
  problems: [ConnectionNotFound, CapabilityNotImplemented],
  run: async (
    { db, params, body, signal },
    services: { outbound: Outbound; now: () => Date; connectionHandles: ConnectionHandles },
  ) => {
    if (!(await findConnection(db, params.connectionId))) throw new ConnectionNotFound()
    const { entry, context, http } = await openProviderAccess(db, services, params.connectionId, {
      module: body.module,
    }).catch((cause: unknown) => {
      const failure = classifyFailure(cause)
      throw failure.kind === 'no_connector' ? (providerProblem(failure, services.now()) ?? cause) : cause
    })
    const { faults, checks, objects } = await tryProvider(body.name, body.text, {
      entry,
      context,
      http,
      now: services.now,
      signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
      ...(body.objects && { objects: body.objects }),
      writes: body.writes === true,
      ...(body.get !== undefined && { get: body.get }),
    })
    const works = ({ findings }: (typeof checks | typeof objects)[number]) =>
      findings.every(({ level }) => level !== 'error')
    const ok = faults.length === 0 && checks.every(works) && objects.every(works)
    return reply(200, {
      ok,
      faults: faults.map(({ file: _, ...fault }) => fault),
      checks: checks.map(({ tools, ...check }) => ({ ...check, ...(tools && { tools: shownTools(tools) }) })),
      objects,
    })
  },
})
