import { testAttack } from './test-attack.testkit.ts'
import { attack } from './w02-slow-names.ts'

testAttack(attack)
