import type { ScriptNames } from './assets.ts'

/**
 * Returns the script with the texts of the language that the component will use; undefined for English. Texts of a
 * project for other languages are left out of account: the browser then loads a script that it may not need.
 *
 * @param language of the session or the project, before those of the browser
 */
export function languageScript(
  { languages = {} }: ScriptNames,
  language: string | undefined,
  acceptLanguage: string | string[] | undefined,
): string | undefined {
  const accepted = String(acceptLanguage ?? '').split(',')
  const wanted = [language ?? '', ...accepted].map((tag) => /^\s*([a-z]+)/i.exec(tag)?.[1]?.toLowerCase() ?? '')
  const known = wanted.find((tag) => tag === 'en' || Object.hasOwn(languages, tag))
  return known === undefined ? undefined : languages[known]
}
