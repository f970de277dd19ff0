import type { WriteAnswer } from '../../catalogue/format/write.ts'
import type { WriteResult } from '../../connector.ts'
import type { ParsedResponse } from '../errors.ts'
import { compileMatch } from '../match.ts'
import { isObject, scalarText } from '../path.ts'
import { compilePattern } from '../pattern.ts'
import { type DeclaredId, idPaths, joinedId } from '../record-id.ts'
import { compileRefusals, firstRefusals } from '../refusals.ts'
import type { Scope } from '../scope.ts'
import { scopedPath } from '../scoped-path.ts'

/**
 * What an answer of status 2xx says of a written record: the result, or what the provider has against it. The result is
 * unproven where the file does not declare what a refusal looks like, and the answer does not hold the id of a record.
 * A header with the id proves a success, whatever the body is.
 */
export type AnswerReader = (
  response: ParsedResponse,
  scope: Scope,
) => { result: WriteResult; isUnproven: boolean; isNamed: boolean; refusals?: undefined } | { refusals: string[] }

/**
 * @param recordId where the id is in the record, unless the answer says otherwise; a part of it that is not in the
 *   answer is that of the record that was sent, or the lookup of its name
 * @param lookups names of the values that are requested before the write
 */
export function compileAnswer(
  answer: WriteAnswer,
  recordId: DeclaredId,
  lookups: ReadonlySet<string> = new Set(),
): AnswerReader {
  const readData = scopedPath(answer.data ?? '')
  const readId = answer.id === undefined ? undefined : scopedPath(answer.id)
  const idOf = idPaths(recordId).map((path) => ({
    read: scopedPath(path),
    sent: lookups.has(path) ? path : `record.${path}`,
  }))
  const idOfRecord = (data: unknown, scope: Scope) => {
    const [first, ...others] = idOf
    if (first === undefined || others.length === 0) return first?.read(data, scope)
    return joinedId(idOf.map(({ read, sent }) => read(data, scope) ?? scope(sent)))
  }
  const idCapture = answer.idCapture === undefined ? undefined : compilePattern(answer.idCapture)
  const header = answer.idHeader?.name.toLowerCase()
  const capture = compilePattern(answer.idHeader?.capture ?? '(?<result>[^/?#]+)/?(?:[?#].*)?$')
  const succeeded = compileMatch(answer.success)
  const declared = answer.refusals
  const refusalsAt = declared === undefined ? undefined : scopedPath(declared.list)
  const refusalsIn = compileRefusals({ ...declared, list: '' })
  const anyRefusals = firstRefusals([])
  const isDeclared = answer.success !== undefined || declared !== undefined

  return ({ json, headers, body }, scope) => {
    // A body that is not JSON is one text.
    const result = json === undefined && body !== '' ? body : json
    const refusals = refusalsAt === undefined ? [] : refusalsIn(asList(refusalsAt(result, scope)))
    if (refusals.length > 0) return { refusals }
    if (!succeeded(result)) return { refusals: anyRefusals(asList(result)) }
    const data = readData(json, scope)
    const named = header === undefined ? undefined : headers[header]
    // Nothing longer than a URL holds an id, and the expression is the file's own.
    const fromHeader = named === undefined || named.length > 2000 ? undefined : capture.result(named)
    const inBody = scalarText((readId ?? ((_, at) => idOfRecord(data, at)))(json, scope))
    const id = (idCapture && inBody !== undefined ? idCapture.result(inBody) : inBody) ?? decoded(fromHeader)
    return {
      result: { success: true, ...(id && { recordId: id }), ...(isObject(data) && { data }) },
      isUnproven: !isDeclared && !id,
      isNamed: fromHeader !== undefined,
    }
  }
}

/** A text instead of a list counts as a list of one. */
export function asList(found: unknown): unknown {
  return typeof found === 'string' && found !== '' ? [found] : found
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return text
  }
}
