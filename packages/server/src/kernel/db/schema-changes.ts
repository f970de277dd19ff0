/**
 * What this release no longer uses in the schema, although the release before does: names of tables (`things`) and
 * columns (`things.name`), and lines of keys, constraints, triggers and functions, as `schema.txt` has them. The next
 * release may drop them. Remove an entry with the migration that drops it.
 */
export const unused: readonly string[] = []

/**
 * Lines of new keys and constraints of tables that the last release has, each with the reason why its nodes keep to it,
 * for example a check that allows more values than the one that it replaces.
 */
export const compatible: Readonly<Record<string, string>> = {
  "constraint sessions CHECK ((kind = ANY (ARRAY['api'::text, 'browser'::text, 'cli'::text, 'agent'::text])))":
    'It starts no sessions of the new kind.',
  "constraint messages CHECK ((failure = ANY (ARRAY['refused'::text, 'exhausted'::text])))":
    'It leaves the new column null.',
  "constraint invites CHECK ((member_role = ANY (ARRAY['viewer'::text, 'operator'::text, 'developer'::text])))":
    'It leaves the new column null.',
  "constraint memberships CHECK ((member_role = ANY (ARRAY['viewer'::text, 'operator'::text, 'developer'::text])))":
    'It leaves the new column null.',
}
