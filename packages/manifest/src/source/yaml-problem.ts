import type { SourceLocation } from './located.ts'

export type YamlRule =
  | 'yaml-size'
  | 'yaml-character'
  | 'yaml-syntax'
  | 'yaml-depth'
  | 'yaml-alias'
  | 'yaml-duplicate-key'
  | 'yaml-forbidden-key'
  | 'yaml-merge-key'

export interface YamlProblem {
  rule: YamlRule
  place: SourceLocation
  message: string
  suggestion: string
}

export const DEEP = 'The values are nested more than 64 levels deep.'
export const FLATTEN = 'A manifest needs about ten levels: check the indentation and the brackets.'
export const WRITE_OUT = 'Write the values out where they are used.'
