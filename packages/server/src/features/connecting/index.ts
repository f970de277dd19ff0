import type { Operation } from '../../kernel/http/index.ts'

export const connectingOperations: Operation[] = []
