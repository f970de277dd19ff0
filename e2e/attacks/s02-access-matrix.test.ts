import { attack } from './s02-access-matrix.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
