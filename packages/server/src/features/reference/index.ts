import { getProblemPage } from './operations/get-problem-page.ts'

export const referenceOperations = [getProblemPage]
