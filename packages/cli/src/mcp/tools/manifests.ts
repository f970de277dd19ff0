import { YAML_BYTES_MAX } from '@mortise/manifest'
import { z } from 'zod'
import { findingsData } from '../../manifest/findings-data.ts'
import type { ManifestFile } from '../../manifest/manifest-file.ts'
import { type Plan, planDeploy as plan, validateAtService } from '../../manifest/plan.ts'
import { findingsOfProblem } from '../../manifest/refused.ts'
import type { ShownFinding } from '../../manifest/show-findings.ts'
import { UsageError } from '../../usage-error.ts'
import { manifestIn, readFolderFile } from '../folder-files.ts'
import { cursor, text } from '../inputs.ts'
import { type ToolResult, thingResult } from '../results.ts'
import { type ToolCall, tool } from '../tool.ts'

const source = {
  path: text('path of the manifest, relative to the folder of the server. Default: mortise.yaml there').optional(),
  text: z.string().max(YAML_BYTES_MAX).optional().describe('the manifest itself, in place of a path'),
  strict: z.boolean().default(true).describe('whether what cannot work is an error; with false it is a warning'),
}

export const validateManifest = tool({
  name: 'validate_manifest',
  title: 'Validate a manifest',
  description:
    'Finds every error of a manifest offline, each with line, column and what to write instead. Does not know destinations and provider files of the service: plan_deploy does.',
  effect: 'read',
  isOffline: true,
  input: z.strictObject({
    ...source,
    ownProviders: z.array(text('a name')).max(100).default([]).describe('providers that have a provider file of yours'),
    cursor,
  }),
  run: async ({ ownProviders, strict, ...given }, call) => {
    const { offlineCatalogue, validateManifest: validate } = await import('../../manifest/index.ts')
    const file = await manifestOf(given, call)
    const catalogue = await offlineCatalogue(ownProviders)
    const { findings, valid } = validate(file.text, { catalogue, strict, readIntervalMinMs: 60_000 })
    return thingResult({ valid, ...findingsData(file, findings) }, given.cursor)
  },
})

/** The same at the service, which knows destinations and provider files of the project. */
export const validateForProject = tool({
  name: 'validate_manifest',
  title: 'Validate a manifest',
  description:
    'Finds every error of a manifest, each with line, column and what to write instead. Knows destinations and provider files of the project.',
  effect: 'read',
  input: z.strictObject({ text: source.text.unwrap(), strict: source.strict, cursor }),
  run: async ({ text: manifest, strict, cursor: from }, { connect, signal }) => {
    const file = { name: 'manifest', text: manifest }
    const { valid, findings } = await validateAtService(await connect(), file, { strict, signal })
    return thingResult({ valid, ...findingsData(file, findings) }, from)
  },
})

export const planDeploy = tool({
  name: 'plan_deploy',
  title: 'Plan a deploy',
  description:
    'Validates a manifest at the service, and shows what a deploy would change: integrations, objects and fields, and the installations that it affects. Changes nothing.',
  effect: 'read',
  input: z.strictObject({ ...source, cursor }),
  run: async ({ strict, ...given }, call) => {
    const file = await manifestOf(given, call)
    const planned = await plan(await call.connect(), file, { strict, signal: call.signal })
    return planResult(file, planned, given.cursor)
  },
})

export const deployManifest = tool({
  name: 'deploy_manifest',
  title: 'Deploy a manifest',
  description:
    'Deploys the integrations of a manifest, for all customers who installed them. Call plan_deploy first, and show its result to the person. Integrations that the manifest does not name stay as they are.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.strictObject({
    ...source,
    removedReads: z
      .enum(['keep', 'pause'])
      .optional()
      .describe(
        'for objects that installations read and the manifest no longer has: keep reading them, or pause these reads for every installation. Required if the plan has any',
      ),
  }),
  run: async ({ strict, removedReads, ...given }, call) => {
    const file = await manifestOf(given, call)
    const mortise = await call.connect()
    const planned = await plan(mortise, file, { strict, signal: call.signal })
    if (planned.plan === undefined) return { ...planResult(file, planned), isError: true }
    checkRemoved(planned.plan, removedReads)
    const query = { strict, destructive: removedReads === 'pause' }
    try {
      const body = { sourceYaml: file.text }
      const deployed = await mortise.batchUpsertIntegrations({ query, body }, { signal: call.signal })
      return thingResult({
        deployed: deployed.map(({ id, name, provider, latestRevision }) => {
          const before = planned.plan.integrations.find((integration) => integration.name === name)
          const result = before?.revisionId === latestRevision.id ? 'unchanged' : before?.id ? 'changed' : 'added'
          return { name, provider, result, id, revisionId: latestRevision.id, installations: before?.installations }
        }),
        ...findingsData(file, planned.findings),
      })
    } catch (error) {
      // The state of the service has changed since the validation.
      const refused = findingsOfProblem(error)
      if (refused.length === 0) throw error
      return { ...thingResult({ valid: false, ...findingsData(file, refused) }), isError: true }
    }
  },
})

/** @throws UsageError when the caller has to decide what happens to reads that the manifest no longer has */
function checkRemoved({ integrations }: Plan, removedReads: string | undefined): void {
  const removing = integrations.filter(
    ({ removedReadObjects, installations }) => removedReadObjects.length > 0 && installations.count > 0,
  )
  if (removing.length === 0 || removedReads !== undefined) return
  const list = removing.map(
    ({ name, removedReadObjects, installations }) =>
      `- ${removedReadObjects.join(', ')} of ${name}: ${installations.count} installations`,
  )
  throw new UsageError(
    `Nothing was changed. Installations read objects that the manifest no longer has:\n${list.join('\n')}\nAsk the person, then call again with removedReads "keep" (their reads continue) or "pause" (they stop for every installation).`,
  )
}

function planResult(
  file: ManifestFile,
  { findings, plan }: { findings: ShownFinding[]; plan: Plan | undefined },
  from?: string,
): ToolResult {
  return thingResult({ valid: plan !== undefined, ...plan, ...findingsData(file, findings) }, from)
}

/** The manifest that the arguments name. @throws UsageError */
async function manifestOf(
  given: { path?: string | undefined; text?: string | undefined },
  { computer }: ToolCall,
): Promise<ManifestFile> {
  if (given.text !== undefined && given.path !== undefined) throw new UsageError('Give path or text, not both.')
  if (given.text !== undefined) return { name: 'manifest', text: given.text }
  if (!computer) throw new UsageError('Give text: the manifest itself.')
  const { folder } = computer
  return await readFolderFile(folder, given.path ?? (await manifestIn(folder)), YAML_BYTES_MAX)
}
