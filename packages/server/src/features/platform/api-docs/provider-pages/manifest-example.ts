import { type ProviderEntry, webhooksOf } from '@mortise/providers'

/** Returns a manifest that uses what this release supports at the provider; undefined where that is nothing. */
export function manifestExample(entry: ProviderEntry): string | undefined {
  const { name, defaultModule = '', modules } = entry
  const module = modules[defaultModule]
  const object = (module ?? entry).implemented.read ? readObjectOf(entry) : undefined
  const actions = [
    ...(object === undefined
      ? []
      : [
          '    read:',
          '      objects:',
          `        - objectName: ${object}`,
          '          destination: webhook',
          '          schedule: "0 * * * *"',
          '          optionalFieldsAuto: all',
        ]),
    ...(entry.implemented.proxy ? ['    proxy:', '      enabled: true'] : []),
  ]
  if (actions.length === 0) actions.push(...subscribeLines(entry))
  if (actions.length === 0) return undefined
  return [
    'specVersion: 1.0.0',
    'integrations:',
    `  - name: ${name}`,
    `    provider: ${name}`,
    ...(module === undefined ? [] : [`    module: ${defaultModule}`]),
    ...actions,
  ].join('\n')
}

/** Lines of a provider that only sends events. */
function subscribeLines(entry: ProviderEntry): string[] {
  const [found] = Object.entries(webhooksOf(entry, undefined)?.objects ?? {})
  if (found === undefined) return []
  const [name, { create = [], update = [] }] = found
  return [
    '    subscribe:',
    '      objects:',
    `        - objectName: ${name}`,
    '          destination: webhook',
    ...(create.length > 0 ? ['          createEvent: { enabled: always }'] : []),
    ...(update.length > 0 ? ['          updateEvent: { enabled: always, watchFieldsAuto: all }'] : []),
  ]
}

function readObjectOf({ file, objects, onlyWritten = [], defaultModule = '' }: ProviderEntry): string | undefined {
  const declared = [...(file?.sets.get(defaultModule)?.objects ?? [])]
  return (
    declared.find(([, { read }]) => read !== undefined)?.[0] ?? objects?.find((name) => !onlyWritten.includes(name))
  )
}
