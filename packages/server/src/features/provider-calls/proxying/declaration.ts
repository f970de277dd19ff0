import type { PassThroughDeclaration } from '../../../kernel/http/index.ts'
import { proxyProblems } from './problems.ts'

export const proxyDeclaration: PassThroughDeclaration = {
  id: 'proxy',
  path: '//proxy',
  access: 'develop',
  projectIn: 'header',
  summary: 'Pass a request through to the provider of an installation.',
  problems: proxyProblems,
}
