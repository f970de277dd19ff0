import { type Difference, differencesOf } from './differences.testkit.ts'
import { casesOf, pinsSomething, recordedFolders } from './recorded-cases.testkit.ts'

/** Returns the generated part of docs/recorded-cases.md: counts, and the reason of each case that fails or differs. */
export async function recordedCasesPage(): Promise<string> {
  const failing: string[] = []
  const different: string[] = []
  const counts = { all: 0, failing: 0, different: 0, idle: 0 }
  for (const folder of recordedFolders()) {
    const differences = await differencesOf(folder)
    const { ofObjects, extras } = casesOf(folder)
    const order = [...ofObjects, ...extras].map(({ id }) => id)
    const idle = ofObjects.filter((one) => !pinsSomething(one)).length
    counts.all += order.length - idle
    counts.idle += idle
    counts.failing += idsOf(differences.filter(({ fails }) => fails)).size
    counts.different += idsOf(differences.filter(({ fails }) => !fails)).size
    for (const [why, group] of Map.groupBy(differences, (one) => one.why)) {
      const ids = [...idsOf(group)].sort((a, b) => order.indexOf(a) - order.indexOf(b))
      const cases = ids.map((id) => `\`${id}\``).join(', ')
      const rows = group.some(({ fails }) => fails) ? failing : different
      rows.push(`| ${folder} | ${cases} | ${why.replaceAll('|', '\\|')} |`)
    }
  }
  return [
    '| Cases | Count |',
    '|---|---|',
    `| In all | ${counts.all} |`,
    `| Pass as recorded | ${counts.all - counts.failing - counts.different} |`,
    `| Pass with a difference by decision | ${counts.different} |`,
    `| Do not pass | ${counts.failing} |`,
    `| Check nothing, and are not counted | ${counts.idle} |`,
    '',
    '## Different by decision',
    '',
    '| Recordings | Cases | What Mortise does, and why |',
    '|---|---|---|',
    ...different,
    '',
    '## Not passing',
    '',
    'The tests check that each of these cases still fails.',
    '',
    '| Recordings | Cases | Reason |',
    '|---|---|---|',
    ...failing,
  ].join('\n')
}

function idsOf(differences: readonly Difference[]): Set<string> {
  return new Set(differences.flatMap(({ cases }) => cases))
}
