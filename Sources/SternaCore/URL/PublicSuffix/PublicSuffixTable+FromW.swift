// Made by scripts/public-suffixes of the Public Suffix List, version 2026-10-22_08-36-41_UTC
// (publicsuffixlist 1.1.2.20261023 of PyPI).
// This file is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed
// with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

extension PublicSuffixTable {
    /// 884 rules, in the form that scripts/public-suffixes describes.
    static let fromW: StaticString = """
        w-corp-staticblitz.com w-credentialless-staticblitz.com w-staticblitz.com w.bg w.crm.dev* w.se wa.au wa.crm.dev*
        wa.edu.au wa.gov.au wa.us wada.nagano.jp wadl.top* wafflecell.com wajiki.tokushima.jp wajima.ishikawa.jp
        wakasa.fukui.jp wakasa.tottori.jp wakayama.jp wakayama.wakayama.jp wake.okayama.jp wakkanai.hokkaido.jp
        wakuya.miyagi.jp wal.app walbrzych.pl wales walmart walter wang wanggou wanouchi.gifu.jp warabi.saitama.jp
        warmia.pl warszawa.pl washtenaw.mi.us wasmer.app wassamu.hokkaido.jp watarai.mie.jp watari.miyagi.jp watch
        watches watson.jp waw.pl waw.scw.site wazuka.kyoto.jp wb.crm.dev* wc.crm.dev* wd.crm.dev* we.bs we.crm.dev*
        weather weatherchannel web web.app web.bo web.core.usgovcloudapi.net web.core.windows.net web.do web.erp.dev
        web.gu web.id web.in web.lk web.nf web.ni web.pk web.tj web.tr web.val.run web.ve web.za webadorsite.com webcam
        weber webflow.io webflowtest.io webhare.dev* webhop.biz webhop.info webhop.me webhop.net webhop.org
        webhosting.be weblike.jp webpaas.ovh.net* webredirect.org website website.k2.cloud website.one
        website.ru-msk.k2.cloud website.ru-spb.k2.cloud website.yandexcloud.net websitebuilder.online websozai.jp
        webspace-host.com webspace.rocks webspaceconfig.de webthings.io
        webview-assets.aws-cloud9.af-south-1.amazonaws.com webview-assets.aws-cloud9.ap-east-1.amazonaws.com
        webview-assets.aws-cloud9.ap-northeast-1.amazonaws.com webview-assets.aws-cloud9.ap-northeast-2.amazonaws.com
        webview-assets.aws-cloud9.ap-northeast-3.amazonaws.com webview-assets.aws-cloud9.ap-south-1.amazonaws.com
        webview-assets.aws-cloud9.ap-southeast-1.amazonaws.com webview-assets.aws-cloud9.ap-southeast-2.amazonaws.com
        webview-assets.aws-cloud9.ca-central-1.amazonaws.com webview-assets.aws-cloud9.eu-central-1.amazonaws.com
        webview-assets.aws-cloud9.eu-north-1.amazonaws.com webview-assets.aws-cloud9.eu-south-1.amazonaws.com
        webview-assets.aws-cloud9.eu-west-1.amazonaws.com webview-assets.aws-cloud9.eu-west-2.amazonaws.com
        webview-assets.aws-cloud9.eu-west-3.amazonaws.com webview-assets.aws-cloud9.il-central-1.amazonaws.com
        webview-assets.aws-cloud9.me-south-1.amazonaws.com webview-assets.aws-cloud9.sa-east-1.amazonaws.com
        webview-assets.aws-cloud9.us-east-1.amazonaws.com webview-assets.aws-cloud9.us-east-2.amazonaws.com
        webview-assets.aws-cloud9.us-west-1.amazonaws.com webview-assets.aws-cloud9.us-west-2.amazonaws.com
        webview-assets.cloud9.af-south-1.amazonaws.com webview-assets.cloud9.ap-east-1.amazonaws.com
        webview-assets.cloud9.ap-northeast-1.amazonaws.com webview-assets.cloud9.ap-northeast-2.amazonaws.com
        webview-assets.cloud9.ap-northeast-3.amazonaws.com webview-assets.cloud9.ap-south-1.amazonaws.com
        webview-assets.cloud9.ap-southeast-1.amazonaws.com webview-assets.cloud9.ap-southeast-2.amazonaws.com
        webview-assets.cloud9.ca-central-1.amazonaws.com webview-assets.cloud9.eu-central-1.amazonaws.com
        webview-assets.cloud9.eu-north-1.amazonaws.com webview-assets.cloud9.eu-south-1.amazonaws.com
        webview-assets.cloud9.eu-west-1.amazonaws.com webview-assets.cloud9.eu-west-2.amazonaws.com
        webview-assets.cloud9.eu-west-3.amazonaws.com webview-assets.cloud9.me-south-1.amazonaws.com
        webview-assets.cloud9.sa-east-1.amazonaws.com webview-assets.cloud9.us-east-1.amazonaws.com
        webview-assets.cloud9.us-east-2.amazonaws.com webview-assets.cloud9.us-west-1.amazonaws.com
        webview-assets.cloud9.us-west-2.amazonaws.com wed wedding weeklylottery.org.uk wegrow.pl weibo weir
        west1-us.cloudjiffy.net westcentralus-01.azurewebsites.net westeurope-01.azurewebsites.net
        westeurope.azurestaticapps.net westindia-01.azurewebsites.net westus-01.azurewebsites.net
        westus2-01.azurewebsites.net westus2.azurestaticapps.net westus3-01.azurewebsites.net wf wf.crm.dev*
        whitesnow.jp whm.fr-par.scw.cloud whm.nl-ams.scw.cloud whoswho wi.us wielun.pl wien wien.funkfeuer.at wif.gov.pl
        wiih.gov.pl wiki wiki.bo wiki.br williamhill win winb.gov.pl windows windsurf.app windsurf.build wine winners
        wios.gov.pl wiredbladehosting.com witd.gov.pl with.playit.plus withgoogle.com withyoutube.com wiw.gov.pl wix.run
        wixsite.com wixstudio.com wixstudio.io wjg.jp wkz.gov.pl wlocl.pl wloclawek.pl wmcloud.org wme wmflabs.org
        wnext.app wodzislaw.pl wolomin.pl woltlab-demo.com woodside work workers.dev workinggroup.aero workisboring.com
        works works.aero world worse-than.tv wow wp2.host wpdevcloud.com wpenginepowered.com wphostedmail.com
        wpmucdn.com wpmudev.host wpsquared.site writesthisblog.com wroc.pl wroclaw.pl ws wsa.gov.pl wskr.gov.pl
        wsse.gov.pl wtc wtf wuoz.gov.pl wv.us www.ck! www.ro wy.us wzmiuw.gov.pl x.bg x.mythic-beasts.com x.se x0.com
        x0.to x443.pw xbox xen.prgmr.com xenonconnect.de* xerox xihuan xii.jp xin xj.cn xmit.co* xmit.dev
        xn--0trq7p7nn.jp xn--11b4c3d xn--12c1fe0br.xn--o3cw4h xn--12cfi8ixb8l.xn--o3cw4h xn--12co0c3b4eva.xn--o3cw4h
        xn--1ck2e1b xn--1ctwo.jp xn--1lqs03n.jp xn--1lqs71d.jp xn--1qqw23a xn--2m4a15e.jp xn--2scrj9c xn--30rr7y
        xn--32vp30h.jp xn--3bst00m xn--3ds443g xn--3e0b707e xn--3hcrj9c xn--3pxu8k xn--41a.xn--p1acf xn--42c2d9a
        xn--45br5cyl xn--45brj9c xn--45q11c xn--4dbgdty6c.xn--4dbrk0ce xn--4dbrk0ce xn--4gbrim xn--4it168d.jp
        xn--4it797k.jp xn--4pvxs.jp xn--54b7fta0cc xn--55qw42g xn--55qx5d xn--55qx5d.cn xn--55qx5d.hk
        xn--55qx5d.xn--j6w193g xn--5dbhl8d.xn--4dbrk0ce xn--5js045d.jp xn--5rtp49c.jp xn--5rtq34k.jp xn--5su34j936bgsg
        xn--5tzm5g xn--6btw5a.jp xn--6frz82g xn--6orx2r.jp xn--6qq986b3xl xn--7t0a264c.jp xn--80aaa0cvac.xn--p1acf
        xn--80adxhks xn--80ao21a xn--80aqecdr1a xn--80asehdb xn--80aswg xn--80au.xn--90a3ac xn--8dbq2a.xn--4dbrk0ce
        xn--8ltr62k.jp xn--8pvr4u.jp xn--8y0a063a xn--90a1af.xn--p1acf xn--90a3ac xn--90ae xn--90ais xn--90amc.xn--p1acf
        xn--90azh.xn--90a3ac xn--9dbq2a xn--9et52u xn--9krt00a xn--9tfky.id xn--andy-ira.no xn--aroport-bya.ci
        xn--asky-ira.no xn--aurskog-hland-jnb.no xn--avery-yua.no xn--b-5ga.nordland.no xn--b-5ga.telemark.no
        xn--b4w605ferd xn--balsan-sdtirol-nsb.it xn--bck1b9a5dre4c xn--bdddj-mrabd.no xn--bearalvhki-y4a.no
        xn--berlevg-jxa.no xn--bhcavuotna-s4a.no xn--bhccavuotna-k7a.no xn--bidr-5nac.no xn--bievt-0qa.no
        xn--bjddar-pta.no xn--blt-elab.no xn--bmlo-gra.no xn--bod-2na.no xn--bozen-sdtirol-2ob.it xn--brnny-wuac.no
        xn--brnnysund-m8ac.no xn--brum-voa.no xn--btsfjord-9za.no xn--bulsan-sdtirol-nsb.it xn--c1avg
        xn--c1avg.xn--90a3ac xn--c1avg.xn--p1acf xn--c2br7g xn--c3s14m.jp xn--cck2b3b xn--cckwcxetd
        xn--cesena-forl-mcb.it xn--cesenaforl-i8a.it xn--cg4bki xn--ciqpn.hk xn--clchc0ea0b2g2a9gcd xn--czr694b
        xn--czrs0t xn--czru2d xn--d1acj3b xn--d1alf xn--d1at.xn--90a3ac xn--d5qv7z876c.jp xn--davvenjrga-y4a.no
        xn--djrs72d6uy.jp xn--djty4k.jp xn--dnna-gra.no xn--drbak-wua.no xn--dyry-ira.no xn--e1a4c xn--eckvdtc9d
        xn--efvn9s.jp xn--efvy88h xn--ehqz56n.jp xn--elqq16h.jp xn--eveni-0qa01ga.no xn--f6qx53a.jp xn--fct429k
        xn--fhbei xn--finny-yua.no xn--fiq228c5hs xn--fiq64b xn--fiqs8s xn--fiqz9s xn--fjord-lra.no xn--fjq720a
        xn--fl-zia.no xn--flor-jra.no xn--flw351e xn--forl-cesena-fcb.it xn--forlcesena-c8a.it xn--fpcrj9c3d
        xn--frde-gra.no xn--frna-woa.no xn--frya-hra.no xn--fzc2c9e2c xn--fzys8d69uvgm xn--g2xx48c xn--gckr3f0f
        xn--gecrj9c xn--ggaviika-8ya47h.no xn--gildeskl-g0a.no xn--givuotna-8ya.no xn--gjvik-wua.no xn--gk3at1e
        xn--gls-elac.no xn--gmq050i.hk xn--gmqw5a.hk xn--gmqw5a.xn--j6w193g xn--gnstigbestellen-zvb.de
        xn--gnstigliefern-wob.de xn--h-2fa.no xn--h1ahn.xn--p1acf xn--h1aliz.xn--p1acf xn--h2breg3eve xn--h2brj9c
        xn--h2brj9c8c xn--h3cuzk1di.xn--o3cw4h xn--hamary-fya.no xn--hbmer-xqa.no xn--hcesuolo-7ya35b.no
        xn--hebda8b.xn--4dbrk0ce xn--hery-ira.nordland.no xn--hery-ira.xn--mre-og-romsdal-qqb.no xn--hgebostad-g3a.no
        xn--hkkinen-5wa.fi xn--hmmrfeasta-s4ac.no xn--hnefoss-q1a.no xn--hobl-ira.no xn--holtlen-hxa.no xn--hpmir-xqa.no
        xn--hxt814e xn--hyanger-q1a.no xn--hylandet-54a.no xn--i1b6b1a6a2e xn--imr513n xn--indery-fya.no xn--io0a7i
        xn--io0a7i.cn xn--io0a7i.hk xn--j1adp.xn--p1acf xn--j1aef xn--j1aef.xn--p1acf xn--j1ael8b.xn--p1acf xn--j1amh
        xn--j6w193g xn--jlq480n2rg xn--jlster-bya.no xn--jrpeland-54a.no xn--jvr189m xn--k7yn95e.jp xn--karlsy-fya.no
        xn--karmy-yua.no xn--kbrq7o.jp xn--kcrx77d1x4a xn--kfjord-iua.no xn--klbu-woa.no xn--klt787d.jp xn--kltp7d.jp
        xn--kltx9a.jp xn--klty5x.jp xn--koluokta-7ya57h.no xn--kprw13d xn--kpry57d xn--kput3i xn--krager-gya.no
        xn--kranghke-b0a.no xn--krdsherad-m8a.no xn--krehamn-dxa.no xn--krjohka-hwab49j.no xn--ksnes-uua.no
        xn--kvfjord-nxa.no xn--kvitsy-fya.no xn--kvnangen-k0a.no xn--l-1fa.no xn--l1acc xn--laheadju-7ya.no
        xn--langevg-jxa.no xn--lcvr32d.hk xn--ldingen-q1a.no xn--leagaviika-52b.no xn--lesund-hua.no xn--lgbbat1ad8j
        xn--lgrd-poac.no xn--lhppi-xqa.no xn--linds-pra.no xn--loabt-0qa.no xn--lrdal-sra.no xn--lrenskog-54a.no
        xn--lt-liac.no xn--lten-gra.no xn--lury-ira.no xn--m3ch0j3a.xn--o3cw4h xn--mely-ira.no xn--merker-kua.no
        xn--mgb2ddes xn--mgb9awbf xn--mgba3a3ejt xn--mgba3a4f16a xn--mgba3a4f16a.ir xn--mgba3a4fra xn--mgba3a4fra.ir
        xn--mgba7c0bbn0a xn--mgbaam7a8h xn--mgbab2bd xn--mgbah1a3hjkrd xn--mgbai9a5eva00b xn--mgbai9azgqp6j
        xn--mgbayh7gpa xn--mgbbh1a xn--mgbbh1a71e xn--mgbc0a9azcg xn--mgbca7dzdo xn--mgbcpq6gpa1a xn--mgberp4a5d4a87g
        xn--mgberp4a5d4ar xn--mgbgu82a xn--mgbi4ecexp xn--mgbpl2fh xn--mgbqly7c0a67fbc xn--mgbqly7cvafr xn--mgbt3dhd
        xn--mgbtf8fl xn--mgbtx2b xn--mgbx4cd0ab xn--mix082f xn--mix891f xn--mjndalen-64a.no xn--mk0axi.hk xn--mk1bu44c
        xn--mkru45i.jp xn--mlatvuopmi-s4a.no xn--mli-tla.no xn--mlselv-iua.no xn--moreke-jua.no xn--mori-qsa.nz
        xn--mosjen-eya.no xn--mot-tla.no xn--msy-ula0h.no xn--mtta-vrjjat-k7af.no xn--muost-0qa.no xn--mxtq1m
        xn--mxtq1m.hk xn--mxtq1m.xn--j6w193g xn--ngbc5azd xn--ngbe9e0a xn--ngbrx xn--nit225k.jp xn--nmesjevuemie-tcba.no
        xn--nnx388a xn--node xn--nqv7f xn--nqv7fs00ema xn--nry-yla5g.no xn--ntso0iqx3a.jp xn--ntsq17g.jp
        xn--nttery-byae.no xn--nvuotna-hwa.no xn--nyqy26a xn--o1ac.xn--90a3ac xn--o1ach.xn--90a3ac xn--o3cw4h
        xn--o3cyx2a.xn--o3cw4h xn--od0alg.cn xn--od0alg.hk xn--od0alg.xn--j6w193g xn--od0aq3b.hk xn--ogbpf8fl
        xn--oppegrd-ixa.no xn--ostery-fya.no xn--osyro-wua.no xn--otu796d xn--p1acf xn--p1ai xn--pgbs0dh
        xn--porsgu-sta26f.no xn--pssu33l.jp xn--pssy2u xn--q7ce6a xn--q9jyb4c xn--qcka1pmc xn--qqqt11m.jp xn--qxa6a
        xn--qxam xn--rady-ira.no xn--rdal-poa.no xn--rde-ula.no xn--rdy-0nab.no xn--rennesy-v1a.no xn--rhkkervju-01af.no
        xn--rholt-mra.no xn--rhqv96g xn--rht27z.jp xn--rht3d.jp xn--rht61e.jp xn--risa-5na.no xn--risr-ira.no
        xn--rland-uua.no xn--rlingen-mxa.no xn--rmskog-bya.no xn--rny31h.jp xn--rovu88b xn--rros-gra.no xn--rskog-uua.no
        xn--rst-0na.no xn--rsta-fra.no xn--rvc1e0am3e xn--ryken-vua.no xn--ryrvik-bya.no xn--s-1fa.no xn--s9brj9c
        xn--sandnessjen-ogb.no xn--sandy-yua.no xn--sdtirol-n2a.it xn--seral-lra.no xn--ses554g xn--sgne-gra.no
        xn--skierv-uta.no xn--skjervy-v1a.no xn--skjk-soa.no xn--sknit-yqa.no xn--sknland-fxa.no xn--slat-5na.no
        xn--slt-elab.no xn--smla-hra.no xn--smna-gra.no xn--snase-nra.no xn--sndre-land-0cb.no xn--snes-poa.no
        xn--snsa-roa.no xn--sr-aurdal-l8a.no xn--sr-fron-q1a.no xn--sr-odal-q1a.no xn--sr-varanger-ggb.no
        xn--srfold-bya.no xn--srreisa-q1a.no xn--srum-gra.no xn--stjrdal-s1a.no xn--stjrdalshalsen-sqb.no
        xn--stre-toten-zcb.no xn--t60b56a xn--tckwe xn--tiq49xqyj xn--tjme-hra.no xn--tn0ag.hk xn--tnsberg-q1a.no
        xn--tor131o.jp xn--trany-yua.no xn--trentin-sd-tirol-rzb.it xn--trentin-sdtirol-7vb.it
        xn--trentino-sd-tirol-c3b.it xn--trentino-sdtirol-szb.it xn--trentinosd-tirol-rzb.it xn--trentinosdtirol-7vb.it
        xn--trentinsd-tirol-6vb.it xn--trentinsdtirol-nsb.it xn--trgstad-r1a.no xn--trna-woa.no xn--troms-zua.no
        xn--tysvr-vra.no xn--uc0atv.hk xn--uc0atv.xn--j6w193g xn--uc0ay4a.hk xn--uist22h.jp xn--uisz3g.jp
        xn--unjrga-rta.no xn--unup4y xn--uuwu58a.jp xn--vads-jra.no xn--valle-aoste-ebb.it xn--valle-d-aoste-ehb.it
        xn--valleaoste-e7a.it xn--valledaoste-ebb.it xn--vard-jra.no xn--vegrshei-c0a.no xn--vermgensberater-ctb
        xn--vermgensberatung-pwb xn--vestvgy-ixa6o.no xn--vg-yiab.no xn--vgan-qoa.no xn--vgsy-qoa0j.no xn--vgu402c.jp
        xn--vhquv xn--vler-qoa.hedmark.no xn--vler-qoa.xn--stfold-9xa.no xn--vre-eiker-k8a.no xn--vrggt-xqad.no
        xn--vry-yla5g.no xn--vuq861b xn--w4r85el8fhu5dnra xn--w4rs40l xn--wcvs22d.hk xn--wcvs22d.xn--j6w193g xn--wgbh1c
        xn--wgbl6a xn--xhq521b xn--xkc2al3hye2a xn--xkc2dl3a5ee0h xn--y9a3aq xn--yer-zna.no xn--yfro4i67o
        xn--ygarden-p1a.no xn--ygbi2ammx xn--ystre-slidre-ujb.no xn--zbx025d.jp xn--zf0avx.hk xn--zfr164b xs4all.space
        xtooldevice.com xx.kg xxx xxx.ec xyz xyz.br xz.cn y.bg y.se yabu.hyogo.jp yabuki.fukushima.jp yachimata.chiba.jp
        yachiyo.chiba.jp yachiyo.ibaraki.jp yachts yaese.okinawa.jp yahaba.iwate.jp yahiko.niigata.jp yahoo
        yaita.tochigi.jp yaizu.shizuoka.jp yakage.okayama.jp yakumo.hokkaido.jp yakumo.shimane.jp yali.mythic-beasts.com
        yalta.ua yamada.fukuoka.jp yamada.iwate.jp yamada.toyama.jp yamaga.kumamoto.jp yamagata.gifu.jp
        yamagata.ibaraki.jp yamagata.jp yamagata.nagano.jp yamagata.yamagata.jp yamaguchi.jp yamakita.kanagawa.jp
        yamamoto.miyagi.jp yamanakako.yamanashi.jp yamanashi.jp yamanashi.yamanashi.jp yamanobe.yamagata.jp
        yamanouchi.nagano.jp yamashina.kyoto.jp yamato.fukushima.jp yamato.kanagawa.jp yamato.kumamoto.jp
        yamatokoriyama.nara.jp yamatotakada.nara.jp yamatsuri.fukushima.jp yamaxun yamazoe.nara.jp yame.fukuoka.jp
        yanagawa.fukuoka.jp yanaizu.fukushima.jp yandex yandexcloud.net yao.osaka.jp yaotsu.gifu.jp yarrow-point.wa.us
        yasaka.nagano.jp yashio.saitama.jp yashiro.hyogo.jp yasu.shiga.jp yasuda.kochi.jp yasugi.shimane.jp
        yasuoka.nagano.jp yatomi.aichi.jp yatsuka.shimane.jp yatsushiro.kumamoto.jp yawara.ibaraki.jp yawata.kyoto.jp
        yawatahama.ehime.jp yazu.tottori.jp ye yenbai.vn yicp.fun yk.ca yn.cn ynh.fr yodobashi yoga yoichi.hokkaido.jp
        yoita.niigata.jp yoka.hyogo.jp yokaichiba.chiba.jp yokawa.hyogo.jp yokkaichi.mie.jp yokohama yokohama.jp*
        yokoshibahikari.chiba.jp yokosuka.kanagawa.jp yokote.akita.jp yokoze.saitama.jp yolasite.com yomitan.okinawa.jp
        yonabaru.okinawa.jp yonago.tottori.jp yonaguni.okinawa.jp yonezawa.yamagata.jp yono.saitama.jp yorii.saitama.jp
        yoro.gifu.jp yoshida.saitama.jp yoshida.shizuoka.jp yoshikawa.saitama.jp yoshimi.saitama.jp yoshino.nara.jp
        yoshinogari.saga.jp yoshioka.gunma.jp yotsukaido.chiba.jp you you2.pl youtube yt yuasa.wakayama.jp yufu.oita.jp
        yugawa.fukushima.jp yugawara.kanagawa.jp yuki.ibaraki.jp yukuhashi.fukuoka.jp yun yura.wakayama.jp
        yurihonjo.akita.jp yusuhara.kochi.jp yusui.kagoshima.jp yuu.yamaguchi.jp yuza.yamagata.jp yuzawa.niigata.jp z.bg
        z.se za.bz za.com za.net za.org zabc.net zachpomor.pl zagan.pl zakarpattia.ua zakopane.pl zama.kanagawa.jp
        zamami.okinawa.jp zao.miyagi.jp zap.cloud zaporizhzhe.ua zaporizhzhia.ua zappos zapto.org zara zarow.pl
        zeabur.app zentsuji.kagawa.jp zero zerops.app* zerops.zone* zgierz.pl zgora.pl zgorzelec.pl zhitomir.ua
        zhytomyr.ua zicp.fun zip zj.cn zlg.br zm zombie.jp zone zone.id zp.gov.pl zp.ua zpisdn.gov.pl zt.ua
        ztna-dingtalk.com* zuerich zushi.kanagawa.jp zw
        """
}
