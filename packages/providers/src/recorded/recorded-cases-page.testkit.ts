import { type Differences, differencesOf } from './differences.testkit.ts'
import { casesOf, pinsSomething, type RecordedCase, recordedFolders, skippedFolders } from './recorded-cases.testkit.ts'

/** A case that is not run, or whose request or outcome differs here. */
interface Row {
  folder: string
  id: string
  notRun: boolean
  reason: string
}

/** Returns the generated part of docs/recorded-cases.md: counts, and a row for each case that is not run or differs. */
export async function recordedCasesPage(): Promise<string> {
  const rows: Row[] = []
  let count = 0
  let empty = 0
  for (const folder of recordedFolders()) {
    const differs = await differencesOf(folder)
    const { ofObjects, extras } = casesOf(folder)
    count += ofObjects.length + extras.length
    empty += ofObjects.filter((one) => !pinsSomething(one)).length
    for (const one of ofObjects) rows.push(...rowOf(folder, one, differs, skippedFolders[folder]))
    for (const one of extras) rows.push(...rowOf(folder, one, differs))
  }
  const notRun = rows.filter((row) => row.notRun)
  const different = rows.filter((row) => !row.notRun)
  return [
    '| Cases | Count |',
    '|---|---|',
    `| In all | ${count} |`,
    `| Pass as recorded | ${count - rows.length} |`,
    `| Pass with a difference by decision | ${different.length} |`,
    `| Not run | ${notRun.length} |`,
    `| Check nothing | ${empty} |`,
    '',
    '## Not run',
    '',
    ...tableOf(notRun, 'Reason'),
    '',
    '## Different by decision',
    '',
    ...tableOf(different, 'What differs here'),
  ].join('\n')
}

function tableOf(rows: readonly Row[], reason: string): string[] {
  const lines = rows.map((row) => `| ${row.folder} | \`${row.id}\` | ${row.reason.replaceAll('|', '\\|')} |`)
  return [`| Recordings | Case | ${reason} |`, '|---|---|---|', ...lines]
}

function rowOf(folder: string, recorded: RecordedCase, differs: Differences, skipped?: string): Row[] {
  const { id } = recorded
  const notRun = skipped ?? differs.notRun?.[id]
  if (notRun !== undefined) return [{ folder, id, notRun: true, reason: notRun }]
  const reasons = reasonsOf(recorded, differs)
  return reasons.length === 0 ? [] : [{ folder, id, notRun: false, reason: reasons.join(' ') }]
}

/** Returns a sentence for each difference that applies to a case. */
function reasonsOf(recorded: RecordedCase, differs: Differences): string[] {
  return [...requestReasons(recorded, differs), ...outcomeReasons(recorded, differs), ...namesOf(recorded, differs)]
}

function requestReasons({ id, exchanges = [] }: RecordedCase, differs: Differences): string[] {
  const seconds = differs.secondsEarlier?.[id]
  const otherwise = differs.otherwise?.[id]
  const requests = exchanges.map(({ request }) => request)
  const headers = Object.entries(differs.headers ?? {}).filter(([name, [recorded]]) =>
    requests.some((request) =>
      Object.entries(request.headers ?? {}).some(([key, value]) => key.toLowerCase() === name && value === recorded),
    ),
  )
  const { path } = differs
  const hasPath = path !== undefined && requests.some((request) => request.path?.includes(path[0]))
  const ahead = differs.requestedBefore?.[id]
  return [
    ...(seconds === undefined ? [] : [`The window begins ${seconds} ${seconds === 1 ? 'second' : 'seconds'} earlier.`]),
    ...(otherwise === undefined
      ? []
      : [otherwise[1] === '' ? 'The request lacks a recorded value.' : `The request has ${code(otherwise[1])}.`]),
    ...headers.map(([name, [, here]]) => `The header ${code(name)} is ${code(here)}.`),
    ...(hasPath ? [`The path has ${code(path[1])}.`] : []),
    ...(ahead === undefined ? [] : [`Mortise requests ${code(ahead.path)} before the write.`]),
  ]
}

function outcomeReasons({ id, expect: wanted }: RecordedCase, differs: Differences): string[] {
  const left = differs.leftOut?.[id]
  const read = differs.readHere?.[id]
  const codes = differs.codes?.filter((one) => wanted.error?.messageContains?.includes(one)) ?? []
  return [
    ...(left === undefined ? [] : [`The object has no or another ${listed(left)}.`]),
    ...(read === undefined ? [] : [`These records are read, too: ${listed(read)}.`]),
    ...when(differs.withoutId, id, 'A record without an id is read. The recording refuses it.'),
    ...when(differs.declaredFields, id, 'The file declares the fields, so no record is requested.'),
    ...when(differs.endsAtShortPage, id, 'The read ends at a page that is not full.'),
    ...when(differs.anotherListFollows, id, 'Another list follows, such as that of archived records.'),
    ...when(differs.refusedAsWhole, id, 'The whole batch is refused, so no record has a result.'),
    ...(codes.length === 0 ? [] : [`The message has no ${listed(codes)}, but the sentence of the provider.`]),
  ]
}

/** Objects and events that have another name here, or that only the recordings know. */
function namesOf({ op, input, expect: wanted }: RecordedCase, differs: Differences): string[] {
  const objects = [input.object, ...(input.objects ?? [])].filter((name) => name !== undefined)
  const isRead = op === 'read' || op === 'search' || op === 'metadata' || op === 'readByIds'
  const unknown: object = (isRead ? differs.unknownObjects : differs.unknownInWrites) ?? {}
  const expected = wanted.objectErrors ?? {}
  const refused = objects.filter((name) => name in unknown && expected[name]?.class !== 'unsupported_object')
  const called = Object.entries(differs.calledHere ?? {}).filter(([name]) => objects.includes(name))
  const { events = [] } = wanted as { events?: { object: string; rawEvent: string; workspace?: string }[] }
  const eventObjects = events.flatMap(({ object }) => pairOf(object, differs.eventObjects))
  const eventNames = events.flatMap(({ rawEvent }) => pairOf(rawEvent, differs.eventNames))
  const byUrl = differs.accountByUrl === true && events.some(({ workspace }) => workspace !== undefined)
  return [
    ...refused.map((name) => `${code(name)} is refused before a request: neither file nor documentation know it.`),
    ...[...called, ...eventObjects].map(([name, here]) => `The object ${code(name)} is called ${code(here)}.`),
    ...eventNames.map(([name, here]) => `The event ${code(name)} is called ${code(here)}.`),
    ...(byUrl ? ['The URL that receives the event identifies the account.'] : []),
  ]
}

function pairOf(name: string, names: Readonly<Record<string, string>> = {}): [string, string][] {
  const here = names[name]
  return here === undefined || here === name ? [] : [[name, here]]
}

function when(ids: readonly string[] | undefined, id: string, reason: string): string[] {
  return ids?.includes(id) === true ? [reason] : []
}

function code(text: string): string {
  return `\`${text}\``
}

function listed(texts: readonly string[]): string {
  return texts.map(code).join(', ')
}
