import type { ProblemDeclaration } from '../packages/server/src/kernel/http/index.ts'

/** The page `docs/errors.md`: every problem that the service can answer with. */
export function errorsPage(problems: Iterable<ProblemDeclaration>): string {
  const rows = [...problems]
    .toSorted((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
    .map(({ code, status, detail, remedy, retryable }) =>
      row([`\`${code}\``, String(status), detail, remedy ?? '–', retryable ? 'yes' : 'no']),
    )
  return [
    '# Errors',
    '',
    'Every answer that is not 2xx is `application/problem+json` (RFC 9457). `context.code` is the stable code of the table below; `detail`',
    'says what happened this time, `remedy` how to resolve it, and `requestId` (also in the header `X-Request-Id`) finds the request in the',
    'log. Wrong input is listed whole in `issues`, each with `in`, `name`, `value` and `detail`: at most 100, and `context.issuesTotal`',
    'tells how many there are. Where `retryable` is true the same request may succeed later, not before `retryAfter` when it is given.',
    '',
    row(['Code', 'Status', 'Meaning', 'What to do', 'Retry']),
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}
