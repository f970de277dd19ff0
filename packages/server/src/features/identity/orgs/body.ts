import { InvalidInput, type Issue } from '../../../kernel/http/index.ts'
import { normalizeEmail } from './address.ts'

/** Returns an issue of the request body. */
export function bodyIssue(name: string, value: unknown, detail: string, remedy?: string): Issue {
  return { in: 'body', name, value, detail, ...(remedy !== undefined && { remedy }) }
}

/** Returns the normalized address. @throws InvalidInput */
export function requireEmail(name: string, text: string): string {
  const email = normalizeEmail(text)
  if (email === undefined)
    throw new InvalidInput({
      issues: [bodyIssue(name, text, `${name} must be a mail address such as ada@example.com.`)],
    })
  return email
}

/**
 * Returns the issues of an organization's label. It appears in emails and on pages, so it must not have control
 * characters.
 */
export function labelIssues(label: string, at: string): Issue[] {
  // Counts characters, not UTF-16 units. A text that is far too long is not split for that.
  const length = label.length > 256 ? Number.POSITIVE_INFINITY : [...label].length
  if (length >= 1 && length <= 128 && label.trim() !== '' && !/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u.test(label))
    return []
  return [bodyIssue(at, label, `${at} must be 1 to 128 characters, not all blank, without control characters.`)]
}
