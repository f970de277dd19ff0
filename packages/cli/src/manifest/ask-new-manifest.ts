import { validateSchedule } from '@mortise/manifest'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'
import type { PackedCatalogue, PackedProvider } from './catalogue.ts'
import type { NewManifest } from './new-manifest.ts'

/** What the command line says already. */
export interface ManifestOptions {
  name?: string
  provider?: string
  module?: string
  object: string[]
  field: string[]
  destination?: string
  schedule?: string
}

/** Stands for a manifest without a `schedule`. */
const noSchedule = 'none'

const schedules = [
  { value: '*/10 * * * *', label: 'every ten minutes' },
  { value: '*/30 * * * *', label: 'every half hour' },
  { value: '0 * * * *', label: 'every hour' },
  { value: '0 3 * * *', label: 'every day at 03:00 UTC' },
  { value: noSchedule, label: 'only when triggered' },
  { value: 'other', label: 'another cron expression' },
]

/**
 * Completes what the command line says by questions; where nobody can answer, by what is usual.
 *
 * @throws UsageError where something has to be chosen and nobody is there, naming the flag that says it
 */
export async function askNewManifest(
  options: ManifestOptions,
  providers: PackedCatalogue,
  terminal: Terminal,
): Promise<Omit<NewManifest, 'schemaUrl'>> {
  const provider = options.provider ?? (await askProvider(providers, terminal))
  // The catalog does not contain providers of the user's own files: nothing is known about them.
  const known: PackedProvider | undefined = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  const module = options.module ?? (await askModule(known, terminal))
  const action = known ? actionOf(provider, known, module) : 'read'
  const names = { provider, module, name: options.name ?? provider }
  if (action === 'proxy') return { ...names, objects: [], destination: '', schedule: undefined }
  const set = module ?? known?.defaultModule ?? ''
  const objectNames =
    options.object.length > 0 ? options.object : await askObjects(known?.readable?.[set] ?? [], terminal)
  const fieldsOf = options.field.length > 0 ? selectedFields(options.field, objectNames) : undefined
  const objects = []
  for (const objectName of objectNames) {
    const there = known?.fields?.[set]?.[objectName] ?? []
    objects.push({ objectName, fields: fieldsOf?.get(objectName) ?? (await askFields(objectName, there, terminal)) })
  }
  return {
    ...names,
    objects,
    destination: options.destination ?? (await askDestination(terminal)),
    schedule: cronOf(options.schedule ?? (await askSchedule(terminal))),
  }
}

/** What an integration of the provider can begin with. */
function actionOf(provider: string, known: PackedProvider, module: string | undefined): 'read' | 'proxy' {
  if (supportOf(known, module).includes('r')) return 'read'
  if (known.implemented.includes('p')) return 'proxy'
  throw new UsageError(`This release cannot read from ${provider} and cannot proxy to it. Choose another provider.`)
}

/** At the module that is used, or at the provider's root. */
function supportOf({ modules = {}, ...provider }: PackedProvider, module = provider.defaultModule): string {
  const used = [provider, module === undefined ? undefined : modules[module]].filter((part) => part !== undefined)
  return used.map(({ implemented, undescribed = '' }) => `${implemented}${undescribed}`).join('')
}

async function askProvider(providers: PackedCatalogue, terminal: Terminal): Promise<string> {
  if (!terminal.interactive) throw new UsageError('Name the provider of the integration: add --provider hubspot.')
  const usable = Object.entries(providers).filter(([, known]) => /[rp]/.test(supportOf(known)))
  const choices = usable.map(([value, { displayName, implemented }]) => ({
    value,
    label: displayName === value ? value : `${displayName} (${value})`,
    hint: implemented === '' ? 'this release has no connector for it' : 'can be read',
    ready: implemented !== '',
  }))
  // Providers that this release supports come first; each half keeps the order of the catalog.
  choices.sort((one, two) => Number(two.ready) - Number(one.ready))
  return await terminal.ask.search(
    'Which provider do your customers use?',
    choices.map(({ ready: _, ...choice }) => choice),
  )
}

async function askModule(known: PackedProvider | undefined, terminal: Terminal): Promise<string | undefined> {
  const modules = Object.keys(known?.modules ?? {})
  if (known === undefined || modules.length < 2 || !terminal.interactive) return undefined
  const choices = modules.map((value) => ({ value }))
  const { defaultModule } = known
  return await terminal.ask.select('Which of its modules?', choices, {
    ...(defaultModule !== undefined && { initial: defaultModule }),
  })
}

async function askObjects(readable: string[], terminal: Terminal): Promise<string[]> {
  if (!terminal.interactive) throw new UsageError('Name the objects to read: add --object contacts (can be repeated).')
  if (readable.length > 0) {
    const choices = readable.map((value) => ({ value }))
    return await terminal.ask.searchMany('What do you read?', choices, { required: true })
  }
  return words(
    await terminal.ask.text('What do you read? (the provider’s names of objects, with commas)', {
      validate: (answer) => (words(answer).length > 0 ? undefined : 'Name at least one object.'),
    }),
  )
}

async function askFields(objectName: string, known: string[], terminal: Terminal): Promise<string[]> {
  if (!terminal.interactive) return []
  const message = `Which fields of ${objectName} does every customer deliver? (customers may add others)`
  if (known.length > 0) {
    const choices = known.map((value) => ({ value }))
    return await terminal.ask.searchMany(message, choices)
  }
  return words(await terminal.ask.text(message, { placeholder: 'names with commas, or none' }))
}

async function askDestination(terminal: Terminal): Promise<string> {
  if (!terminal.interactive) return 'webhook'
  const validate = (answer: string) => (answer.trim() === '' ? 'Enter a name.' : undefined)
  return (await terminal.ask.text('Name of the destination of the records?', { initial: 'webhook', validate })).trim()
}

async function askSchedule(terminal: Terminal): Promise<string> {
  if (!terminal.interactive) return '*/30 * * * *'
  const chosen = await terminal.ask.select('How often is it read?', schedules, { initial: '*/30 * * * *' })
  if (chosen !== 'other') return chosen
  return await terminal.ask.text('Cron expression, in UTC?', {
    placeholder: '0 6 * * 1-5',
    validate: (answer) =>
      validateSchedule(answer).valid ? undefined : 'Write five fields: minute, hour, day, month, weekday.',
  })
}

function cronOf(answer: string): string | undefined {
  return answer === noSchedule ? undefined : answer
}

/** `email` is a field of every object, `contacts.email` of one. */
function selectedFields(fields: string[], objects: string[]): Map<string, string[]> {
  const map = new Map<string, string[]>(objects.map((name) => [name, []]))
  for (const field of fields) {
    const owner = objects.find((name) => field.startsWith(`${name}.`))
    if (owner !== undefined) map.get(owner)?.push(field.slice(owner.length + 1))
    else for (const list of map.values()) list.push(field)
  }
  return map
}

function words(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))]
}
