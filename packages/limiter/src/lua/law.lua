-- The control law of the limiter: pure functions of one record `s`. Redis keeps it packed, the simulator runs the same
-- source. Times are milliseconds of one clock, rates are requests per millisecond. The caller counts `in_flight`: with
-- the request that it sends, without the request that was answered.
--
-- The law learns two numbers: a pace, which it holds and tries higher, and a limit in flight, which it holds and
-- compares with more and fewer. docs/internals/limiter.md explains them, and lists the mechanisms by the numbers here.

local LAW_VERSION = 10 -- version of the record

local SURE, CHANCE = 6.9, 0.12 -- log odds (1,000 to 1) at which refusals count; share of a burst that chance may refuse
local NOISE_WEIGHT, NOISE_LEAST, NOISE_MOST = 0.001, 0.002, 0.04 -- weight of one answer, and bounds of the estimate
local MARGIN, FALL = 0.99, 0.5 -- share of the known pace; one measurement lowers the rate to this share at most
local FIRST_STEP, STEP = 0.3, 0.08 -- sizes of a trial; after a step of 8 % or less the limit is known
local HOLD_KNOWN, HOLD_UNKNOWN = 100, 6 -- requests at a level before the next trial
local TRIAL_KEPT, TRIAL_FAILED = -1.5, 1.25 -- log odds of Wald's test
local START_PLACES, GROWTH = 10, 2 -- RFC 6928; places for each completed request in slow start
local LATENCY_WEIGHT = 1 / 16 -- of one duration in the moving mean
local KNEE_SHIFT, KNEE_ERRORS = 0.5, 4 -- slow start ends where the mean log duration exceeds its least by this
local STEEPNESS = 1.6 -- duration ~ (n / knee) ^ this: between a queue (1) and a collapse (2)
local STRIDE, STRIDE_REFUSED, STRIDE_MOST = 0.26, 0.06, 0.9 -- log steps of the number in flight; after a refusal, smaller
local CAPPED_HOLD = 8 -- blocks at a configured ceiling before fewer in flight are tried
local LONGEST_PROBE, LONGEST_OUTAGE_PROBE = 900000, 10000 -- longest intervals to the next probe, in milliseconds

-- The record. Fields that start as nil are listed in comments.
local function fresh_law(now)
  return {
    seq = 0, -- requests sent
    sent_at = now, -- latest sending
    done = 0, -- durations noted
    phase = 'open', -- or paused, or outage
    opened_at = now, -- start of this cycle: the latest opening, moved later by excluded times
    accepted = 0, -- sent in this cycle, without refused and unsent requests
    closed_at = -1, -- latest closing
    bad_at = -1, -- latest sending that was refused in this pause
    -- probe: sending of the probe that is out
    -- told: Retry-After of this pause, since `closed_at`
    probe_at = 0, -- when the next one may go
    probe_ahead = 0, -- in flight ahead of it
    tries = 0, -- probes of this pause
    fails = 0, -- failures of the service in a row
    trust = 0, -- Retry-After: -1 wrong, 0 unknown, 1 confirmed
    vague = false, -- the pause is an experiment: the refusal named no limit
    full = 0, -- in flight at the closing, without what was refused since
    score = 0, -- CUSUM of refusals
    noise = 0.01, -- share of requests that the service refuses without a limit
    refused_seq = -99, -- last refused request
    burst_from = 0, -- first refusal of the current score
    burst_n = 0, -- refusals since then
    heard_ms = 40, -- mean time from sending to refusal
    -- rate: requests a millisecond, without margin and trial
    -- stated: rate that the service states
    stated_exact = false, -- its window is stated, too: no trial exceeds it
    -- rate_cap: configured ceiling of the rate, set by each call
    -- places_cap: configured ceiling in flight, set by each call
    window = 0, -- length of the cycles; changes to 0.8 to 2 times the last at most
    due = 0, -- GCRA's theoretical time of the next request
    trial = 0, -- share on top of the rate
    step = FIRST_STEP, -- step of the next trial
    level_at = now, -- start of this level of the pace
    level_n = 0, -- paced requests at this level
    level_bad = 0, -- refusals at this level
    places = START_PLACES, -- limit in flight
    places_at = -1, -- requests before this one are not evidence for it
    -- held: limit in flight that is compared with more or fewer; nil in slow start
    stride = STRIDE, -- log step of the next comparison; negative: fewer
    block_n = 0, -- requests of the current block
    block_sum = 0, -- sum of their log durations
    held_mean = 0, -- mean log duration of the latest block at `held`
    latency = 0, -- moving mean of log durations
    spread = 0.25, -- their variance
    -- fastest: least `latency` so far, the moving mean
  }
end

-- ── which refusals count ────────────────────────────────────────────────────────────────────────────────────────────

-- Page's CUSUM over the order of sending [2]: a refusal adds its log likelihood ratio (a limit refuses 0.9), each
-- request between two subtracts one.
local function is_sure(s, permit)
  local gap = permit.seq > s.refused_seq and permit.seq - s.refused_seq or 1
  s.refused_seq = math.max(s.refused_seq, permit.seq)
  if s.score - (gap - 1) <= 0 then
    s.burst_from = permit.seq
    s.burst_n = 0
  end
  s.burst_n = s.burst_n + 1
  s.score = math.max(0, s.score - (gap - 1)) + math.log(0.9 / math.max(NOISE_LEAST, s.noise))
  return s.score > SURE
end

local function add_noise(s, share)
  s.noise = math.min(NOISE_MOST, s.noise + share) -- [3]
end

-- ── pace ────────────────────────────────────────────────────────────────────────────────────────────────────────────

local function start_level(s, now)
  s.level_at = now
  s.level_n = 0
  s.level_bad = 0
end

-- Upper bound of the rate for trials and learning; nil without one.
local function ceiling(s)
  local stated = s.stated_exact and s.stated or s.rate_cap
  return stated and math.min(stated, s.rate_cap or stated)
end

-- Current pace in requests per millisecond; nil while no limit is known.
local function pace(s)
  local most = ceiling(s)
  if s.rate == nil then
    return most
  end
  local learned = s.rate * (1 + s.trial) * MARGIN
  return most ~= nil and math.min(learned, most) or learned
end

-- Maximum delay, in milliseconds, that requests may catch up [1].
local function catch_up(s)
  return math.max(20, math.min(500, s.window / 40))
end

-- Wald's test of a trial [8]: the service refuses its requests like all others, or refuses every added one.
local function trial_odds(s)
  local noise = math.max(NOISE_LEAST, s.noise)
  local more = s.trial / (1 + s.trial) * (1 - noise)
  local passed = math.max(0, s.level_n - s.level_bad)
  return s.level_bad * math.log((noise + more) / noise) + passed * math.log((1 - noise - more) / (1 - noise))
end

local function start_trial(s, now)
  local most = ceiling(s)
  local trial = most ~= nil and math.min(s.step, most / s.rate - 1) or s.step
  s.trial = trial > 0.005 and trial or 0
  start_level(s, now)
end

-- After each paced request: tries a higher pace when it held the level for long enough, and adopts a trial that passed.
local function step_level(s, now)
  local known = s.step <= STEP
  if s.trial == 0 then
    if s.level_n >= (known and HOLD_KNOWN or HOLD_UNKNOWN) then
      start_trial(s, now)
    end
    return
  end
  local ms = now - s.level_at
  if s.level_n < (known and 8 or 4) or ms < 0.5 * s.window then
    return
  end
  if s.level_n < 0.9 * ms * pace(s) then
    start_level(s, now) -- another limit held the requests back: the trial is void
  elseif trial_odds(s) < TRIAL_KEPT then
    s.rate = s.rate * (1 + s.trial)
    s.step = math.min(1, 3 * s.step) -- [9]
    start_trial(s, now)
  end
end

-- A refusal that the CUSUM does not count ends a trial, or lowers a pace that is refused more often than noise [10].
local function suspect_pace(s, now)
  if s.trial > 0 then
    if trial_odds(s) > TRIAL_FAILED then
      s.step = math.max(STEP, s.trial / 3)
      s.trial = 0
      start_level(s, now)
    end
    return
  end
  add_noise(s, NOISE_WEIGHT)
  local n, bad = s.level_n, s.level_bad
  if s.rate ~= nil and bad >= 3 and n >= 3 * bad and bad > 2 * s.noise * n + 1.5 * math.sqrt(s.noise * n) then
    s.rate = s.rate * (1 - math.max(0.03, math.min(0.2, 0.5 * bad / n)))
    add_noise(s, 0.25 * bad / n)
    start_level(s, now)
  end
end

local function measure_again(s, low, high, brief)
  local before = s.rate
  local rate = math.max(low, math.min(before, high))
  s.rate = math.max(FALL * before, math.min(rate, before * (1 + s.trial))) -- [7]
  local gap = math.abs(s.rate / before - 1)
  if gap >= 0.09 then
    s.step = math.max(0.1, math.min(0.5, gap / 2))
  elseif not brief then
    s.step = STEP
  end
end

-- A cycle ends with the opening at `to` [6]. The number of requests accepted by then is the limit's own average, for
-- any window. The limit was still reached at `bad_at`, so the true rate is between two quotients.
local function measure(s, to)
  local n = s.accepted - 1
  local ms = math.max(1, to - s.opened_at)
  local brief = to - s.closed_at < 0.05 * ms
  local low = math.max(1, n) / ms
  local high = math.max(low, math.max(1, n) / math.max(1, s.bad_at - s.opened_at))
  s.opened_at = to
  s.accepted = 1
  if s.rate ~= nil then
    measure_again(s, low, high, brief)
    s.window = math.min(2 * s.window, math.max(ms, 0.8 * s.window))
  elseif n < 1 then
    return
  else
    s.rate = math.sqrt(low * high)
    s.window = ms
    if brief and s.fastest ~= nil then
      s.rate = math.max(s.rate, 0.9 * s.full / math.exp(s.latency)) -- the cycle measured the start: Little's law [11]
    end
  end
  s.trial = 0
  s.due = to + 1 / s.rate
  start_level(s, to)
end

-- The service states its limit [17]: it becomes the rate at once, and refusals correct it. Refused requests may use up
-- the limit, so the least of several refusals in one pause is right.
local function use_stated(s, stated, now)
  local rate = stated ~= nil and stated.requests / stated.windowMs or nil
  if rate == nil or s.stated ~= nil and (math.abs(rate / s.stated - 1) < 0.001 or s.phase == 'paused' and rate > s.stated) then
    return
  end
  s.stated = rate
  s.stated_exact = stated.exact
  s.rate = rate
  s.window = stated.windowMs
  s.step = STEP
  s.trial = 0
  s.due = math.max(s.due, now)
  start_level(s, now)
end

-- ── half-open: pauses and outages ───────────────────────────────────────────────────────────────────────────────────

-- Probes with growing intervals: a pause must cost little compared with its cycle [4]. The law waits for a Retry-After
-- if the last one was right, bounds the interval by it if nothing is known, and ignores it if it was wrong [5].
local function plan_probe(s, now)
  local elapsed = now - s.closed_at
  local growth = math.max(0.08, math.min(2, 40 / math.max(1, s.accepted)))
  local least = math.max(60, 3 * s.heard_ms, 0.03 * (s.closed_at - s.opened_at))
  if s.rate ~= nil then
    least = math.max(least, math.min(1.2 / s.rate, 1000))
  end
  local at = now + math.max(least, growth * elapsed)
  local told_at = s.told ~= nil and s.closed_at + s.told or now
  if told_at > now and s.trust >= 0 then
    at = s.trust > 0 and told_at or math.min(told_at, at)
  end
  s.probe_at = math.min(at, now + math.max(LONGEST_PROBE, elapsed / 6))
end

local function shut(s, permit, feedback, now)
  s.phase = 'paused'
  s.score = 0
  s.closed_at = now
  s.bad_at = permit.at
  s.tries = 0
  s.told = feedback.retryAfterMs
  plan_probe(s, now)
end

-- Compares the length of the pause that ends with the sending at `to` with its Retry-After.
local function judge_told(s, to)
  local told, waited = s.told or 0, to - s.closed_at
  if told > 200 and (waited < 0.7 * told - 700 or waited < 0.5 * told and told <= 1000) then
    s.trust = -1
  elseif told > 200 and s.tries > 1 and waited >= 0.95 * told - 950 then
    s.trust = math.min(1, s.trust + 1)
  end
end

-- ── in flight ───────────────────────────────────────────────────────────────────────────────────────────────────────

local function room_of(s)
  return math.max(1, math.floor(math.min(s.places, s.places_cap or s.places)))
end

local function begin_block(s, places, now)
  s.places = math.max(1, places)
  s.places_at = now
  s.block_n = 0
  s.block_sum = 0
end

-- Ends slow start: holds `places`, and compares it with more and fewer.
local function hold_places(s, places, stride, now)
  s.held = math.max(1, math.floor(places + 0.5))
  s.stride = stride
  begin_block(s, s.held, now)
end

-- Next number to compare with the held one.
local function next_places(s)
  local most = s.places_cap or 1 / 0
  if s.stride > 0 and s.held >= most or s.stride < 0 and s.held * math.exp(s.stride) < 1 then
    s.stride = -s.stride
  end
  local places = s.held * math.exp(s.stride)
  return math.max(1, math.min(most, s.stride > 0 and math.ceil(places) or math.floor(places)))
end

-- Compares the goodput, places / duration, of two blocks of requests [15]. More and fewer must both gain a share of the
-- step. Small steps after a refusal need no gain, because a refusal ends them.
local function end_block(s, now)
  local mean = s.block_sum / s.block_n
  if s.places ~= s.held then
    local step = math.log(s.places / s.held)
    local gain = step - (mean - s.held_mean)
    local error = math.sqrt(2 * s.spread / s.block_n)
    local least = step < 0 and -0.3 * step or 0.25 * step + 0.5 * error
    if gain <= least and not (step > 0 and s.stride < STRIDE) then
      s.stride = step > 0 and -STRIDE or STRIDE
      begin_block(s, s.held, now)
      return
    end
    s.held = s.places
    s.stride = s.stride > 0 and math.min(STRIDE_MOST, 2 * s.stride) or s.stride
  end
  s.held_mean = mean
  begin_block(s, next_places(s), now)
end

-- Number of blocks at the held number before the next trial.
local function blocks_held(s)
  local capped = s.places_cap ~= nil and s.held >= s.places_cap
  return s.places ~= s.held and 1 or capped and CAPPED_HOLD or s.stride == STRIDE_REFUSED and 4 or 1
end

-- Slow start [14]. The slower a request, the fewer follow it: none at `most` times the least duration.
local function grow(s, permit, ms, now)
  local over = s.fastest ~= nil and s.latency - s.fastest or 0
  if over > KNEE_SHIFT + KNEE_ERRORS * math.sqrt(s.spread * LATENCY_WEIGHT) then
    hold_places(s, s.places * math.exp(-over / STEEPNESS), -STRIDE, now)
    return
  end
  local most = math.min(2.5, math.exp(0.2 + 2 * math.sqrt(s.spread)))
  local times = s.fastest ~= nil and ms / math.exp(s.fastest) or 1
  local more = GROWTH * math.max(0, math.min(1, (most - times) / (most - 1)))
  -- An answer vouches for about twice the requests in flight at its sending: fast ones must not outrun a slow one.
  s.places = math.max(s.places, math.min(s.places + more, 2 * permit.ahead + 4))
end

local function note_places(s, permit, ms, now)
  if s.held == nil then
    grow(s, permit, ms, now)
    return
  end
  s.block_n = s.block_n + 1
  s.block_sum = s.block_sum + math.log(ms)
  if s.block_n >= math.max(12, math.min(s.places, 150)) * blocks_held(s) then
    end_block(s, now)
  end
end

local function note_duration(s, ms)
  local y = math.log(ms)
  s.done = s.done + 1
  if s.done > 3 then
    s.spread = s.spread + math.max(0.05, 1 / s.done) * ((y - s.latency) ^ 2 - s.spread)
  end
  s.latency = s.latency + math.max(LATENCY_WEIGHT, 1 / s.done) * (y - s.latency)
  if s.done >= 8 then
    s.fastest = math.min(s.fastest or s.latency, s.latency)
  end
end

-- A refusal for the requests in flight [13]. `surely`: its text names that limit.
local function refused_by_places(s, permit, surely, now, in_flight)
  if permit.at <= s.places_at then
    if s.held ~= nil and s.places == s.held then
      s.held = math.max(1, math.min(s.held, math.max(in_flight, math.floor(0.7 * s.held)))) -- last of the same burst
      s.places = s.held
    end
    return
  end
  local trying = s.held ~= nil and s.places > s.held
  local sure = is_sure(s, permit)
  if not sure and not (trying and surely) then
    add_noise(s, s.held ~= nil and NOISE_WEIGHT or 0)
    return
  end
  s.score = 0
  if trying then
    s.stride = STRIDE_REFUSED
    begin_block(s, s.held, now)
  else
    hold_places(s, math.min(s.places, math.max(in_flight, s.held ~= nil and 0.7 * s.held or 1)), STRIDE_REFUSED, now)
  end
end

-- ── what the scripts call ───────────────────────────────────────────────────────────────────────────────────────────

-- A probe passed. The pause was chance [18], the limit in flight (fewer were in flight) [12], or the rate.
local function pass_probe(s, at, now)
  s.phase = 'open'
  s.probe = nil
  local sent = s.seq - s.tries - s.burst_from + 1
  if sent >= 6 and s.burst_n < CHANCE * sent then
    add_noise(s, s.burst_n * NOISE_WEIGHT)
  elseif s.vague and s.probe_ahead < s.full then
    hold_places(s, math.max(s.full, s.held ~= nil and 0.7 * s.held or 1), STRIDE_REFUSED, s.closed_at)
  else
    judge_told(s, at)
    measure(s, at)
  end
  s.vague = false
end

-- Decides on a request now: `ms` 0 admits it, else the reason and the wait. No `ms`: a request must end first. A probe
-- that is not refused in time has passed.
local function law_wait(s, now, in_flight)
  local closed = s.phase == 'outage' and 'outage' or 'refused'
  if s.phase ~= 'open' and s.probe ~= nil then
    local left = s.probe + (s.phase == 'outage' and LONGEST_OUTAGE_PROBE or math.max(60, 4 * s.heard_ms)) - now
    if left > 0 then
      return { reason = closed, ms = left }
    elseif s.phase == 'paused' then
      pass_probe(s, s.probe, now)
    end
  elseif s.phase ~= 'open' and s.probe_at > now then
    return { reason = closed, ms = s.probe_at - now }
  end
  if s.phase ~= 'outage' and in_flight >= room_of(s) then
    return { reason = 'places' }
  elseif s.phase == 'open' and pace(s) ~= nil then
    return { reason = 'rate', ms = math.max(0, math.max(s.due, now - catch_up(s)) - now) }
  end
  return { ms = 0 }
end

-- A cycle excludes idle time: no request was in flight, and the pace held none back.
local function exclude_idle(s, now, in_flight)
  local from = s.sent_at + (s.done > 0 and 2 * math.exp(s.latency) or 0)
  if s.phase == 'open' and in_flight == 1 and now > from and (pace(s) == nil or s.due < from) then
    s.opened_at = s.opened_at + now - from
  end
end

-- Sends a request; `in_flight` counts it. Returns the permit that its answer must carry.
local function law_sent(s, now, in_flight)
  s.seq = s.seq + 1
  s.accepted = s.accepted + 1
  exclude_idle(s, now, in_flight)
  s.sent_at = now
  if s.phase ~= 'open' then
    s.probe = now
    s.probe_ahead = in_flight - 1
    s.tries = s.tries + 1
  elseif pace(s) ~= nil then
    local earliest = now - catch_up(s)
    local paced = s.due > earliest
    s.due = math.max(s.due, earliest) + 1 / pace(s)
    if paced and s.rate ~= nil then
      s.level_n = s.level_n + 1
      step_level(s, now)
    end
  end
  return { seq = s.seq, at = now, ahead = in_flight - 1, bound = in_flight >= 0.8 * s.places }
end

-- Ends the outage on any answer but a failure to a request that was sent during it.
local function end_outage(s, permit)
  if s.phase == 'outage' and permit.at > s.closed_at then
    s.phase = 'open'
    s.opened_at = s.opened_at + permit.at - s.closed_at -- a cycle excludes outages
    s.probe = nil
  end
  s.fails = 0
end

-- The service took the request, with any result for the document.
local function law_answered(s, permit, now, in_flight)
  end_outage(s, permit)
  if s.phase == 'paused' then
    if permit.at == s.probe then
      pass_probe(s, permit.at, now)
    elseif s.vague and s.probe == nil and in_flight < s.full then
      s.probe_at = now -- the experiment: does it pass now that a request has ended?
    end
  end
  if s.trial == 0 then
    s.noise = s.noise * (1 - NOISE_WEIGHT)
  end
end

-- The service parsed the document.
local function law_accepted(s, permit, feedback, now, in_flight)
  law_answered(s, permit, now, in_flight)
  local stated = feedback.stated
  if stated ~= nil and s.phase == 'open' and (s.rate ~= nil or stated.reached) then
    use_stated(s, stated, now)
  end
  local ms = math.max(feedback.durationMs or now - permit.at, 1)
  if permit.at > s.closed_at then
    note_duration(s, ms) -- after a closing only the slow ones of those in flight are left
  end
  local bound = permit.bound or s.held == nil and in_flight + 1 >= 0.8 * s.places
  if bound and s.phase == 'open' and permit.at > math.max(s.places_at, s.closed_at) then
    note_places(s, permit, ms, now)
  end
end

-- The service timed out on the request.
local function law_overloaded(s, permit, now, in_flight)
  law_answered(s, permit, now, in_flight)
  if permit.at > s.places_at then
    hold_places(s, 0.7 * s.places, -STRIDE, now)
  end
end

local function refused_in_pause(s, permit, feedback, now)
  s.bad_at = math.max(s.bad_at, permit.at)
  if permit.at ~= s.probe then
    s.burst_n = s.burst_n + 1
    if s.vague then
      s.full = math.max(1, s.full - 1) -- it was in flight at the closing, but took no place
    end
    return
  end
  s.probe = nil
  if s.vague and s.probe_ahead < s.full then
    s.vague = false -- refused although a request had ended: the limit is the rate
  end
  local elapsed = now - s.closed_at
  if s.told ~= nil and elapsed >= s.told then
    s.trust = -1
  end
  if (feedback.retryAfterMs or 0) > 0 and s.told ~= nil then
    local left = s.told - elapsed
    if left > 0 and math.abs(feedback.retryAfterMs - left) > 1500 + 0.1 * elapsed then
      s.trust = -1
    end
    s.told = math.max(1, elapsed + feedback.retryAfterMs)
  end
  plan_probe(s, now)
end

-- A 429. `feedback.limit`: the limit that its text names, if any.
local function law_refused(s, permit, feedback, now, in_flight)
  end_outage(s, permit)
  s.accepted = s.accepted - 1
  s.heard_ms = s.heard_ms + 0.1 * (math.min(now - permit.at, 1000) - s.heard_ms)
  local stated = feedback.stated
  if s.phase ~= 'open' then
    use_stated(s, stated, now)
    refused_in_pause(s, permit, feedback, now)
    return
  end
  local reached = stated ~= nil and stated.reached and feedback.limit ~= 'concurrency'
  local trying = s.held ~= nil and s.places > s.held
  if feedback.limit == 'concurrency' or feedback.limit == nil and trying and not reached then
    refused_by_places(s, permit, feedback.limit ~= nil, now, in_flight)
    return
  elseif permit.at <= s.closed_at then
    return
  end
  if permit.at > s.level_at then
    s.level_bad = s.level_bad + 1
  end
  if reached then
    use_stated(s, stated, now)
    s.trust = 1 -- a service that states its limit as reached is trusted
  elseif not is_sure(s, permit) then
    suspect_pace(s, now)
    return
  end
  s.vague = feedback.limit == nil and not reached and in_flight > 0
  s.full = in_flight
  shut(s, permit, feedback, now)
end

-- The request was never sent, or is not evidence about the service.
local function law_unsent(s, permit)
  s.accepted = s.accepted - 1
  if permit.at == s.probe then
    s.probe = nil
  end
end

-- The service is unavailable [16]. `trip`: consecutive failures that make an outage.
local function law_down(s, permit, feedback, now, trip)
  local was_probe = permit.at == s.probe
  law_unsent(s, permit)
  if s.phase == 'paused' and was_probe then
    plan_probe(s, now)
  elseif s.phase == 'outage' and was_probe then
    local ms = math.max(100, math.min(LONGEST_OUTAGE_PROBE, 0.2 * (now - s.closed_at)))
    s.probe_at = now + math.min(ms, feedback.retryAfterMs or ms)
  elseif s.phase == 'open' then
    s.fails = s.fails + 1
    if s.fails >= trip or feedback.retryAfterMs ~= nil then
      s.phase = 'outage'
      s.closed_at = now
      s.probe_at = now + 200
    end
  end
end
