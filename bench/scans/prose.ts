import { proseOf } from '../../test/support/mixed-pages/random-page.ts'
import type { Random } from '../../test/support/random.ts'

/** Words of languages in Latin letters: the commonest, which show the language, and others with the letters that English lacks. */
const WORDS = {
  German: {
    common:
      'der die das und ist nicht ein eine den dem des von mit auf im zu zum sich auch als wie bei oder wird werden sind nach aus dass für über',
    rare: 'Größe Schiffe Straße Fluss Behörde während Gebühr Mauern Überfahrt schließlich Prüfung Übersicht Verträge Änderung Maßnahme Bürger müssen können Häuser Lösung Zähler Öffnung Ämter natürlich gemäß fließen Brücke Gesellschaft Entwicklung Zeitraum Bericht Ergebnis Kosten Anlage Wasser Stadt Fläche Gewässer Rückzahlung gültig Ausschuß Söhne jährlich Beschäftigung Kündigung Erklärung',
  },
  French: {
    common:
      'le la les des une et est que qui dans pour pas sur par au aux avec ce cette sont ont nous vous il elle du leur mais plus comme',
    rare: 'années légers bateaux été société région tempête réparés ouvriers école déjà forêt garçon français château théâtre problème intérêt élève naïf maïs cœur sœur hôtel côté fenêtre rivière lumière première système général reçu leçon développement généralement modèle matière étude quartier maison ville travail conseil marché décision',
  },
  Spanish: {
    common:
      'el la los las del y que una por con para como se es su sus al lo este esta son pero entre desde cuando sin sobre tiene hasta',
    rare: 'año mañana niños también información región además según país corazón canción público política económico español señor pequeño después árbol fácil difícil técnico número página última acción gestión población río montaña compañía diseño sueño pingüino vergüenza trabajo ciudad gobierno escuela camino tiempo hombre mundo',
  },
  Polish: {
    common:
      'nie na do jest to przez oraz od za po dla jako tym tego ale tak jego jej przy lub ich przed bez nad pod czy',
    rare: 'rzeka łódź miasto źródło żółty święto ludność książka pięć dziesięć możliwość następny również wszystkie życie częściowo społeczeństwo państwo województwo północ południe zarząd okręg środek ćwiczenie góra mężczyzna kobieta dziecko szkoła decyzja właściciel umowa wartość jakość ogólny różny część wnętrze kościół',
  },
  Swedish: {
    common:
      'och att det som en av den med har till inte om ett men var sig han kan vid eller efter vi alla detta ska för på är',
    rare: 'höga människor år större några både även först området landet språk vägen hösten våren sjön ön äldre yngre själv möjlighet fråga svårt enkelt bröd smör arbete företag samhälle utveckling rättighet överenskommelse skådespelare hälsa väder förening båtar',
  },
  Italian: {
    common:
      'il lo gli della del delle dei che di una per con non sono nel nella alla da dal si come anche questo questa essere stato tra',
    rare: 'città università perché più già così qualità società libertà verità giovedì lunedì caffè però attività possibilità virtù età novità facilità comunità strada fiume ponte lavoro governo scuola tempo mondo paese consiglio mercato decisione lingua famiglia',
  },
} as const

const CHINESE =
  '我们 他们 中国 城市 发展 经济 社会 问题 工作 时间 进行 可以 没有 已经 因为 所以 但是 如果 通过 需要 学生 老师 学校 国家 政府 公司 市场 产品 技术 服务 管理 系统 研究 方法 结果 分析 数据 信息 网络 电脑 手机 文化 历史 环境 生活 健康 医院 医生 药物 治疗 食品 安全 交通 道路 火车 飞机 河流 山区 森林 动物 植物 天气 温度 春天 夏天 秋季 冬季 早晨 晚上 昨天 明天 今年 去年 人口 家庭 孩子 父母 朋友 音乐 电影 艺术 教育 课程 考试 语言 文字 报告 计划 项目 合同 价格 成本 利润 投资 银行 法律 规定 标准 质量 提高 降低 增加 减少 影响 作用 关系 条件 能力 水平 方面 部分 地区 世界 国际 合作 的 在 是 和 与 对 从 到 为 了'.split(
    ' ',
  )

type Latin = keyof typeof WORDS
export type Language = 'English' | Latin | 'Chinese' | 'Chinese and English'

export const LATIN = Object.keys(WORDS) as readonly Latin[]

/** Share of the commonest words in prose that is drawn, as in print. */
const COMMON_SHARE = 0.42

/** Sentences of about so many words, from real words drawn at random; Han words stand without spaces. */
export function drawnProse(language: Language, count: number, source: number, random: Random): string {
  if (language === 'English') return proseOf(source)(random, count).join(' ')
  if (language === 'Chinese') return chinese(count, () => random.pick(CHINESE), random)
  if (language === 'Chinese and English') {
    const english = proseOf(source)
    const word = (): string =>
      random.next() < 0.25 ? ` ${english(random, 2).join(' ').replace('.', '')} ` : random.pick(CHINESE)
    return chinese(count, word, random)
  }
  const [common, rare] = [WORDS[language].common.split(' '), WORDS[language].rare.split(' ')]
  const words = Array.from({ length: count }, (_, at) => {
    const word = random.pick(random.next() < COMMON_SHARE ? common : rare)
    const first = at % 11 === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word
    return at % 11 === 10 ? `${first}.` : random.next() < 0.06 ? `${first},` : first
  })
  return words.join(' ')
}

function chinese(count: number, word: () => string, random: Random): string {
  const words = Array.from(
    { length: count },
    (_, at) => word() + (at % 12 === 11 ? '。' : random.next() < 0.1 ? '，' : ''),
  )
  return words.join('').replace(/ {2,}/g, ' ').trim()
}
