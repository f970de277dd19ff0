import type { Client, Item } from '@mortise/client'
import {
  type ContentChange,
  type IntegrationContent,
  listChanges,
  type Manifest,
  validateManifest,
} from '@mortise/manifest'
import { trustingCatalogue } from './catalogue.ts'
import type { ManifestFile } from './manifest-file.ts'
import { findingsOfProblem } from './refused.ts'
import type { ShownFinding } from './show-findings.ts'

/** What a deploy of a manifest would do. */
export interface Plan {
  /** Whether any integration would be new or get a new revision. */
  changed: boolean
  /** Those of the manifest, in its order. */
  integrations: PlannedIntegration[]
  /** Names of integrations of the project that the manifest does not name: a deploy leaves them alone. */
  notInManifest: string[]
}

export interface PlannedIntegration {
  name: string
  provider: string
  change: 'added' | 'changed' | 'same'
  /** Absent where it is new. */
  id?: string
  /** Of its latest revision. */
  revisionId?: string
  changes: ContentChange[]
  /**
   * Read objects that installations have and the manifest no longer has. Their reads continue unless the deploy is
   * destructive.
   */
  removedReadObjects: string[]
  /** The installations that the change affects; requested only if there is a change. */
  installations: { count: number; groups: string[] }
}

export type Planned = { findings: ShownFinding[]; plan: Plan } | { findings: ShownFinding[]; plan: undefined }

const groupsShown = 5
const askedAtOnce = 4

/** Validates a manifest at the service, and compares it with what is deployed. `plan` is absent if it has errors. */
export async function planDeploy(
  mortise: Client,
  file: ManifestFile,
  { strict, signal }: { strict: boolean; signal: AbortSignal },
): Promise<Planned> {
  const validated = await validateAtService(mortise, file, { strict, signal })
  if (!validated.valid) return { findings: validated.findings, plan: undefined }
  // The service knows providers, destinations and limits; here only the content is read.
  const read = validateManifest(file.text, { catalogue: trustingCatalogue, readIntervalMinMs: 0 })
  if (!read.manifest) return { findings: read.findings, plan: undefined }
  return { findings: validated.findings, plan: await compare(mortise, read.manifest, signal) }
}

/** Validates a manifest at the service, and returns its findings. */
export async function validateAtService(
  mortise: Client,
  file: ManifestFile,
  { strict, signal }: { strict: boolean; signal: AbortSignal },
): Promise<{ valid: boolean; findings: ShownFinding[] }> {
  try {
    return await mortise.validateManifest({ query: { strict }, body: { sourceYaml: file.text } }, { signal })
  } catch (error) {
    const findings = findingsOfProblem(error)
    if (findings.length === 0) throw error
    return { valid: false, findings }
  }
}

async function compare(mortise: Client, { specVersion, integrations }: Manifest, signal: AbortSignal): Promise<Plan> {
  const deployed = new Map<string, Item<'listIntegrations'>>()
  for await (const integration of mortise.each('listIntegrations', {}, { signal }))
    deployed.set(integration.name, integration)

  const planned = integrations.map((content): PlannedIntegration => {
    const there = deployed.get(content.name)
    deployed.delete(content.name)
    return compareOne(specVersion, content, there)
  })
  const reaching = planned.filter(({ id, change }) => id !== undefined && change === 'changed')
  const next = async (): Promise<void> => {
    for (let one = reaching.shift(); one; one = reaching.shift())
      if (one.id !== undefined) one.installations = await installationsOf(mortise, one.id, signal)
  }
  await Promise.all(Array.from({ length: askedAtOnce }, next))
  return {
    changed: planned.some(({ change }) => change !== 'same'),
    integrations: planned,
    notInManifest: [...deployed.keys()],
  }
}

function compareOne(
  specVersion: string,
  content: IntegrationContent,
  there: Item<'listIntegrations'> | undefined,
): PlannedIntegration {
  const { name, provider } = content
  const before = there?.latestRevision
  const changes = listChanges(before?.content as IntegrationContent | undefined, content)
  if (before && before.specVersion !== specVersion)
    changes.unshift({ kind: 'changed', path: ['specVersion'], before: before.specVersion, after: specVersion })
  return {
    name,
    provider,
    change: !there ? 'added' : changes.length > 0 ? 'changed' : 'same',
    ...(there && { id: there.id, revisionId: there.latestRevision.id }),
    changes,
    removedReadObjects: changes.flatMap(({ kind, path: [action, name, ...rest] }) =>
      kind === 'removed' && action === 'read' && name !== undefined && rest.length === 0 ? [name] : [],
    ),
    installations: { count: 0, groups: [] },
  }
}

async function installationsOf(mortise: Client, integrationId: string, signal: AbortSignal) {
  const groups: string[] = []
  let count = 0
  for await (const { group } of mortise.each('listInstallations', { integrationId }, { signal })) {
    count++
    const name = group?.groupName || group?.groupRef
    if (name && groups.length < groupsShown) groups.push(name)
  }
  return { count, groups }
}
