import type { Catalogue } from '../catalogue.ts'
import { type Fields, readFields } from '../fields.ts'
import type { IntegrationContent, Manifest } from '../manifest.ts'
import { present } from '../present.ts'
import { type Located, quote } from '../source/located.ts'
import { agentKeys, readAgent } from './agent.ts'
import { checkParams, type MissingParams } from './missing-scopes.ts'
import { checkProvider, findProvider } from './provider.ts'
import { readProxy } from './proxy.ts'
import { readRead } from './read.ts'
import type { IntegrationScope, Scope } from './scope.ts'
import { readSubscribe } from './subscribe.ts'
import { readWatchSchema } from './watch-schema.ts'
import { readWrite } from './write.ts'

const INTEGRATION_KEYS = [
  'name',
  'provider',
  'displayName',
  'module',
  'read',
  'write',
  'proxy',
  'subscribe',
  'watchSchema',
  'agent',
]
const NAME_LENGTH_MAX = 128

interface Project {
  catalogue: Catalogue
  providerApps: ReadonlySet<string> | undefined
  missingParams: MissingParams | undefined
}

/** The whole manifest. */
export function readManifest(scope: Scope, project: Project, root: Located): Manifest | undefined {
  const { report } = scope
  const fields = readFields(report, root, ['specVersion', 'integrations'])
  if (fields === undefined) return undefined
  const specVersion = readSpecVersion(scope, fields)
  const list = fields.list('integrations')
  if (list === undefined ? !fields.has('integrations') : list.items.length === 0) {
    report('integration-structure', fields.at('integrations'), {
      message: 'The manifest lists no integrations.',
      suggestion: 'List at least one under `integrations`.',
    })
  }
  const names = new Set<string>()
  const integrations = (list?.items ?? []).flatMap((item) => {
    const integration = readFields(report, item, INTEGRATION_KEYS)
    return integration ? [readIntegration(scope, project, integration, names)] : []
  })
  return { specVersion, integrations }
}

function readSpecVersion({ report }: Scope, fields: Fields): string {
  const version = fields.requiredText('specVersion', 'spec-version', 'The manifest')
  if (version === '' || version === '1.0.0') return version
  const isKnownMajor = /^1(\.\d{1,9}){1,2}$/.test(version)
  report(isKnownMajor ? 'spec-version-known' : 'spec-version', fields.at('specVersion'), {
    message: isKnownMajor
      ? `specVersion ${version} is read as 1.0.0, the only version published.`
      : `specVersion is 1.0.0, not ${quote(version)}.`,
    suggestion: 'Write `specVersion: 1.0.0`.',
    value: version,
  })
  return version
}

function readIntegration(scope: Scope, project: Project, fields: Fields, names: Set<string>): IntegrationContent {
  const { report } = scope
  const name = fields.requiredText('name', 'integration-name-required', 'An integration')
  if (name !== '') checkName(scope, fields, name, names)
  const provider = fields.requiredText('provider', 'integration-provider-required', 'An integration')
  const displayName = fields.text('displayName')
  if ((displayName ?? '').length > 100) {
    report('display-name-length', fields.at('displayName'), {
      message: '`displayName` is longer than 100 characters.',
      suggestion: 'Shorten it: users see it in a list.',
    })
  }
  const module = fields.text('module')
  const entry = findProvider(report, fields, provider, project.catalogue)
  const within: IntegrationScope = { ...scope, provider, module, entry }
  const below = (key: string, known: readonly string[]) => fields.map(key, known)
  const [read, write, proxy] = [
    below('read', ['objects']),
    below('write', ['objects']),
    below('proxy', ['enabled', 'useModule']),
  ]
  const [subscribe, watch] = [
    below('subscribe', ['objects']),
    below('watchSchema', ['destination', 'schedule', 'allObjects']),
  ]
  const agent = fields.map('agent', agentKeys, 'agent-unknown-key')

  const readContent = read && readRead(within, read)
  const writeContent = write && readWrite(within, write)
  const content: IntegrationContent = present({
    name,
    provider,
    displayName,
    module,
    read: readContent,
    write: writeContent,
    proxy: proxy && readProxy(within, proxy),
    subscribe: subscribe && readSubscribe(within, subscribe, readContent),
    watchSchema: watch && readWatchSchema(within, watch),
    agent: agent && readAgent(within, agent, { read: readContent, write: writeContent }),
  })
  const hasTools = content.agent?.tools !== undefined || content.agent?.providerTools !== undefined
  if (!hasTools && !['read', 'write', 'subscribe', 'proxy'].some((action) => fields.has(action))) {
    report('integration-action-required', fields.place, {
      message: 'The integration does nothing: it has none of `read`, `write`, `subscribe` and `proxy`, and no tools.',
      suggestion: 'Add at least one of them.',
    })
  }
  if (entry !== undefined) {
    checkProvider(report, fields, content, entry, project.providerApps)
    checkParams(report, fields, provider, project.missingParams)
  }
  return content
}

function checkName({ report }: Scope, fields: Fields, name: string, names: Set<string>): void {
  const place = fields.at('name')
  if (name.length > NAME_LENGTH_MAX || /[/\p{Cc}]/u.test(name)) {
    report('integration-name-characters', place, {
      message: `An integration name has at most ${NAME_LENGTH_MAX} characters, no \`/\` and no control characters.`,
      suggestion: 'Use 1 to 64 letters, digits, `-` or `_`; put anything else into `displayName`.',
      value: name,
    })
  } else if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    report('integration-name-pattern', place, {
      message: `The name ${quote(name)} has to be escaped in URLs, or is long.`,
      suggestion: 'Use 1 to 64 letters, digits, `-` or `_`; put anything else into `displayName`.',
      value: name,
    })
  }
  if (names.has(name)) {
    report('duplicate-integration', place, {
      message: `Two integrations have the name ${quote(name)}.`,
      suggestion: 'Give each its own name.',
      value: name,
    })
  }
  names.add(name)
}
